// Piece -> id over texts that are kept elsewhere, asked for every prefix of a text without hashing each anew.
// Tested in tests/unit/text/unigram_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace attnviz {

class PieceIndex {
 public:
  using Hash = std::uint64_t;
  static constexpr Hash kEmpty = 0xcbf29ce484222325;  // FNV-1a

  static Hash extend(Hash hash, std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
  }

  // Texts are numbered by their place here, and must outlive the index. Empty ones cannot be found; of equal ones the last is.
  explicit PieceIndex(std::vector<std::string_view> texts);

  std::optional<std::int32_t> find(std::string_view text) const { return find(extend(kEmpty, text), text); }
  std::optional<std::int32_t> find(Hash hash, std::string_view text) const;

  // Bytes of the longest piece that begins with this byte.
  std::size_t longest(unsigned char first) const { return longest_[first]; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t id = -1;  // -1: free
  };

  std::size_t place_of(Hash hash, std::string_view text) const;  // its slot, or the free one where it belongs

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
  std::vector<std::size_t> longest_;
};

}  // namespace attnviz
