// See byte_fallback.h.
#include "text/byte_fallback.h"

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
