// Byte pieces: the vocabulary's "<0x00>" to "<0xFF>", which spell characters that it lacks.
// Tested in tests/unit/text/models/byte_fallback_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/flat_bytes.h"
#include "text/models/piece_table.h"
#include "text/stages.h"

namespace attnviz {

std::string byte_piece_name(std::uint8_t byte);  // "<0x0A>"
std::optional<std::uint8_t> byte_of_piece(std::string_view name);

class ByteFallback {
 public:
  ByteFallback() { ids_.fill(-1); }

  static ByteFallback of(const PieceIndex& index);  // whatever byte pieces it has

  // As freeze wrote it, of a vocabulary of `n_pieces`. Throws Error(kModel) for other ids.
  ByteFallback(std::size_t n_pieces, FlatReader* frozen);
  void freeze(FlatWriter* out) const;  // the 256 ids, -1 where there is none

  void set(std::uint8_t byte, std::int32_t id) { ids_[byte] = id; }
  std::int32_t operator[](std::uint8_t byte) const { return ids_[byte]; }  // -1: there is none

  // Appends a piece for each byte of the characters word[range), each with the place of its whole character. False, and nothing
  // appended, where the vocabulary lacks one of them.
  bool append(AlignedView word, CharRange range, std::vector<PieceModel::Piece>* pieces) const;

 private:
  std::array<std::int32_t, 256> ids_{};
};

}  // namespace attnviz
