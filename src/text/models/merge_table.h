// The merges of byte-pair encoding, looked up in place: (left piece, right piece) -> rank and joined piece.
//
//     MergeTable  | slots | {u32 left, u32 right, u32 rank, u32 id of the joined piece}; id 2^32 - 1: free |
//
// Open addressing with linear probing from the slot of a pair's hash on, going round; at least two of five slots are free. An array
// as flat_bytes.h writes it. Tested in tests/unit/text/models/bpe_test.cpp, fuzzed by tests/fuzz/frozen_fuzz.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_bytes.h"

namespace attnviz {

struct Merge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t rank = 0;  // the lowest is done first
  std::uint32_t id = 0;
};

class MergeTable {
 public:
  // Of equal pairs the last counts, as in the reference.
  static void freeze(std::span<const Merge> merges, FlatWriter* out);

  // Throws Error(kModel) for bytes that are not such a table, or that name a piece past `n_pieces`.
  MergeTable(std::size_t n_pieces, FlatReader* frozen);

  const Merge* find(std::int32_t left, std::int32_t right) const;  // null: these two are not joined

 private:
  std::span<const Merge> slots_;
};

}  // namespace attnviz
