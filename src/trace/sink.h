// Attention sinks: keys that take most of the weight (the first token, [SEP]), so that a linear scale shows little else.
// Tested in tests/unit/trace/sink_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace attnviz {

// The key with the largest share of all weight. Rows that can see only one key (the first one under a causal mask) or none do not
// count.
struct ColumnShare {
  std::size_t column = 0;
  double share = 0;         // of the weight of all rows that count
  std::size_t n_rows = 0;   // rows that count
  std::size_t n_taken = 0;  // in which it has more than half of the weight

  // It takes more than half of most rows, or of all weight. Fewer than three rows are not enough to tell.
  bool is_sink() const { return n_rows >= 3 && (2 * n_taken > n_rows || share > 0.5); }
};

// `maps`: matrices [rows, n_columns]; a value that is not a number counts as 0. Nothing if no row counts.
std::optional<ColumnShare> largest_column(std::span<const std::span<const float>> maps, std::size_t n_columns);

}  // namespace attnviz
