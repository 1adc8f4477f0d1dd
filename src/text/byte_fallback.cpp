// See byte_fallback.h.
#include "text/byte_fallback.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {

std::string byte_piece_name(std::uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

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
