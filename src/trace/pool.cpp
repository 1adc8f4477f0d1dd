// See pool.h. The rows of a block that fall into one tile are folded column by column first, in straight loops that a compiler
// turns into vector code; only the folded row is cut into tiles and combined with other blocks.
#include "trace/pool.h"

#include <attnviz/error.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace attnviz {
namespace {

constexpr std::int32_t kInfinityBits = 0x7F800000;  // what is not finite has these bits or more

// A tile's sum is at most its number of rows (and what rounding adds): this many bits are left for the fraction in 62.
int fraction_bits(const MapShape& shape) { return 62 - static_cast<int>(std::bit_width(shape.row_side)); }

std::int32_t magnitude_bits(float weight) { return std::bit_cast<std::int32_t>(weight) & 0x7FFFFFFF; }

}  // namespace

PooledCells::PooledCells(const MapShape& shape)
    : shape_(shape), unit_(std::ldexp(1.0, -fraction_bits(shape))), cells_(shape.n_rows() * shape.n_columns()) {}

void PooledCells::add(const TapBlock& block) {
  const std::size_t end = std::min(block.row_begin + block.n_rows, shape_.rows.end);
  for (std::size_t row = std::max(block.row_begin, shape_.rows.begin); row < end;) {
    const std::size_t tile_row = (row - shape_.rows.begin) / shape_.row_side;
    const std::size_t tile_end = std::min(end, shape_.rows.begin + (tile_row + 1) * shape_.row_side);
    Cell* cells = cells_.data() + tile_row * shape_.n_columns();
    if (shape_.by == PoolBy::kMax) {
      add_maximum(block, row - block.row_begin, tile_end - block.row_begin, cells);
    } else {
      add_sum(block, row - block.row_begin, tile_end - block.row_begin, cells);
    }
    row = tile_end;
  }
}

void PooledCells::add_maximum(const TapBlock& block, std::size_t first, std::size_t last, Cell* cells) {
  thread_local std::vector<std::int32_t> folded;  // [columns of the span]
  folded.assign(shape_.columns.size(), 0);
  for (std::size_t r = first; r < last; ++r) {
    const float* row = block.row(r).data() + shape_.columns.begin;
    for (std::size_t c = 0; c < folded.size(); ++c) folded[c] = std::max(folded[c], magnitude_bits(row[c]));
  }
  for (std::size_t tile = 0; tile < shape_.n_columns(); ++tile) {
    const auto begin = folded.begin() + static_cast<std::ptrdiff_t>(tile * shape_.column_side);
    const auto n = std::min(shape_.column_side, shape_.columns.size() - tile * shape_.column_side);
    const std::int64_t largest = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(n));
    if (largest >= kInfinityBits) not_finite_.store(true, std::memory_order_relaxed);
    std::int64_t known = cells[tile].load(std::memory_order_relaxed);
    while (known < largest && !cells[tile].compare_exchange_weak(known, largest, std::memory_order_relaxed)) {
    }
  }
}

void PooledCells::add_sum(const TapBlock& block, std::size_t first, std::size_t last, Cell* cells) {
  thread_local std::vector<double> folded;  // [columns of the span]
  folded.assign(shape_.columns.size(), 0.0);
  for (std::size_t r = first; r < last; ++r) {
    const float* row = block.row(r).data() + shape_.columns.begin;
    for (std::size_t c = 0; c < folded.size(); ++c) folded[c] += static_cast<double>(row[c]);
  }
  for (std::size_t tile = 0; tile < shape_.n_columns(); ++tile) {
    const std::size_t end = std::min((tile + 1) * shape_.column_side, shape_.columns.size());
    double sum = 0;
    for (std::size_t c = tile * shape_.column_side; c < end; ++c) sum += folded[c];
    if (!std::isfinite(sum)) {
      not_finite_.store(true, std::memory_order_relaxed);
    } else if (sum != 0) {
      cells[tile].fetch_add(std::llrint(sum / unit_), std::memory_order_relaxed);
    }
  }
}

WeightArray PooledCells::take() const {
  if (not_finite_) {
    throw Error(ErrorKind::kBug, "map: an attention weight is not a number; expected 0 .. 1; please report the text and the model");
  }
  WeightArray values(cells_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t cell = cells_[i].load(std::memory_order_relaxed);
    if (shape_.by == PoolBy::kMax) {
      values[i] = std::bit_cast<float>(static_cast<std::int32_t>(cell));
      continue;
    }
    const std::size_t n_rows = std::min(shape_.row_side, shape_.rows.size() - i / shape_.n_columns() * shape_.row_side);
    const std::size_t n_columns = std::min(shape_.column_side, shape_.columns.size() - i % shape_.n_columns() * shape_.column_side);
    values[i] = static_cast<float>(static_cast<double>(cell) * unit_ / static_cast<double>(n_rows * n_columns));
  }
  return values;
}

}  // namespace attnviz
