// Writes small SentencePiece .model files, whole or broken, for the tests of this folder.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tokenizer/sentencepiece_model.h"

namespace attnviz {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

inline std::string number_field(std::uint64_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }

inline std::string bytes_field(std::uint64_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

inline std::string float_field(std::uint64_t number, float value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return varint(number << 3 | 5) + bytes;
}

inline std::string piece_field(const SpmPiece& piece) {
  return bytes_field(
      1, bytes_field(1, piece.text) + float_field(2, piece.score) + number_field(3, static_cast<std::uint64_t>(piece.type)));
}

// A file with these pieces. `trainer` and `normalizer` are fields of those messages.
inline std::string spm_file(const std::vector<SpmPiece>& pieces, const std::string& trainer = {},
                            const std::string& normalizer = {}) {
  std::string out;
  for (const SpmPiece& piece : pieces) out += piece_field(piece);
  return out + bytes_field(2, trainer) + bytes_field(3, normalizer);
}

}  // namespace attnviz
