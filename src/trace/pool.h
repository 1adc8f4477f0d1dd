// A map pooled into tiles while its rows arrive: it needs memory for the cells only, however long the text.
//
// add() may be called from several threads at once. Rows of one tile can come in several blocks and in any order, so the
// order of blocks must not matter. The maximum is taken of bit patterns (weights are not negative, so they sort as their bits do),
// and sums are in fixed point, where addition is exact. The cells are the same whatever the number of threads.
// Tested in tests/unit/trace/pool_test.cpp.
#pragma once

#include <attnviz/request.h>
#include <attnviz/trace.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/spans.h"

namespace attnviz {

class PooledCells {
 public:
  explicit PooledCells(const MapShape& shape);

  // Adds those rows of the block that are among the shape's rows. The block's columns are all keys of the text.
  void add(const TapBlock& block);

  // [shape.n_rows(), shape.n_columns()]. Throws Error(kBug) when a weight was not a number.
  WeightArray take() const;

  std::size_t kept_bytes() const { return cells_.size() * sizeof(Cell); }

 private:
  using Cell = std::atomic<std::int64_t>;  // bits of the largest weight, or the sum of weights in units of unit_

  void add_maximum(const TapBlock& block, std::size_t first, std::size_t last, Cell* cells);
  void add_sum(const TapBlock& block, std::size_t first, std::size_t last, Cell* cells);

  MapShape shape_;
  double unit_;              // a power of two
  std::vector<Cell> cells_;  // [n_rows, n_columns]
  std::atomic<bool> not_finite_{false};
};

}  // namespace attnviz
