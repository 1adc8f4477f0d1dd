// A vocabulary that is looked up in place: texts by id, and ids by text. Nothing is built when it is opened, for a program
// that starts for one sentence would build it every time (docs/ARCHITECTURE.md).
//
// Tested in tests/unit/text/models/piece_table_test.cpp, fuzzed by tests/fuzz/frozen_fuzz.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_bytes.h"

namespace attnviz {

// As flat_bytes.h writes arrays and texts:
//
//     TextList    | n + 1 | u32 begin of text 0, 1, ... n - 1, and the end           |
//                 | text  | bytes of all texts, end to end                           |
//
//     PieceIndex  | 256   | u32 bytes of the longest text that begins with this byte |
//                 | slots | {u32 hash, u32 id}; id 2^32 - 1: free                    |
//
// A text's hash is FNV-1a of its bytes, folded to 32 bits. Its slot is the first from hash * 0x9e3779b1 (mod 2^32) * slots / 2^32
// on, going round, that holds it (open addressing, linear probing); at least two of five slots are free.

// How many slots a table of `n` entries has: at least two of five stay free.
constexpr std::size_t slots_for(std::size_t n) { return n + n * 2 / 3 + 2; }

// The slot where the search for a hash begins.
inline std::size_t first_slot(std::uint32_t hash, std::size_t n_slots) {
  return static_cast<std::size_t>(std::uint64_t{hash * 0x9e3779b1U} * n_slots >> 32);
}

class TextList {
 public:
  // Throws Error(kModel) where there is more text than 32 bits can count.
  static void freeze(std::span<const std::string_view> texts, const std::string& where, FlatWriter* out);

  // Throws Error(kModel) for bytes that are not such a list.
  explicit TextList(FlatReader* frozen);

  std::size_t size() const { return begins_.size() - 1; }
  std::string_view operator[](std::size_t id) const { return blob_.substr(begins_[id], begins_[id + 1] - begins_[id]); }

 private:
  std::span<const std::uint32_t> begins_;  // [n + 1]
  std::string_view blob_;
};

class PieceIndex {
 public:
  using Hash = std::uint64_t;
  static constexpr Hash kEmpty = 0xcbf29ce484222325;

  // The hash of a text from that of its beginning, so that all prefixes of a text can be asked for without hashing each anew.
  static Hash extend(Hash hash, std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
  }

  enum class Twins : std::uint8_t { kLastCounts, kRefused };

  // Of a TextList's texts; empty ones, holes in the numbering, cannot be found. Throws Error(kModel) for equal ones that are
  // refused.
  static void freeze(std::span<const std::string_view> texts, Twins twins, const std::string& where, FlatWriter* out);

  // `texts` must outlive the index. Throws Error(kModel) for bytes that are not such an index.
  PieceIndex(const TextList* texts, FlatReader* frozen);

  std::optional<std::int32_t> find(std::string_view text) const { return find(extend(kEmpty, text), text); }
  std::optional<std::int32_t> find(Hash hash, std::string_view text) const;

  // Bytes of the longest piece that begins with this byte.
  std::size_t longest(char first) const { return longest_[static_cast<unsigned char>(first)]; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;
  };
  class Builder;

  const TextList* texts_;
  std::span<const std::uint32_t> longest_;  // [256]
  std::span<const Slot> slots_;
};

// The two together, as most models have them.
struct PieceTable {
  TextList texts;
  PieceIndex index;

  static void freeze(std::span<const std::string_view> all, PieceIndex::Twins twins, const std::string& where, FlatWriter* out);

  explicit PieceTable(FlatReader* frozen) : texts(frozen), index(&texts, frozen) {}
  PieceTable(const PieceTable&) = delete;  // the index points to its texts
  PieceTable& operator=(const PieceTable&) = delete;
};

// An id that a vocabulary of `n_pieces` may lack: -1, or a piece's. Throws Error(kModel) for others.
std::int32_t read_id(std::size_t n_pieces, FlatReader* frozen);

}  // namespace attnviz
