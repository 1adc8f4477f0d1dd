// See byte_fallback.h.
#include "text/models/byte_fallback.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {

std::string byte_piece_name(std::uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<std::uint8_t> byte_of_piece(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (name.size() != 6 || !name.starts_with("<0x") || !name.ends_with('>')) return std::nullopt;
  const std::size_t high = kDigits.find(name[3]), low = kDigits.find(name[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint8_t>(high << 4 | low);
}

ByteFallback ByteFallback::of(const PieceIndex& index) {
  ByteFallback bytes;
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    if (const auto id = index.find(byte_piece_name(value))) bytes.set(value, *id);
  }
  return bytes;
}

ByteFallback::ByteFallback(std::size_t n_pieces, FlatReader* frozen) {
  for (std::int32_t& id : ids_) id = read_id(n_pieces, frozen);
}

void ByteFallback::freeze(FlatWriter* out) const {
  for (const std::int32_t id : ids_) out->number(id);
}

bool ByteFallback::append(AlignedView word, CharRange range, std::vector<PieceModel::Piece>* pieces) const {
  const std::size_t n_before = pieces->size();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    std::string bytes;
    append_utf8(&bytes, word[i].code_point);
    for (const char byte : bytes) {
      const std::int32_t id = ids_[static_cast<unsigned char>(byte)];
      if (id < 0) {
        pieces->resize(n_before);
        return false;
      }
      pieces->push_back({id, {i, i + 1}, PieceModel::PieceKind::kByte});
    }
  }
  return true;
}

}  // namespace attnviz
