// The goldens of whole models: sampled cells of every map of many texts, and whole maps of a few (tests/reference/README.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "golden.h"
#include "keep_tap.h"

namespace attnviz {

// Largest difference and largest error of a row's sum so far.
struct Worst {
  double difference = 0;
  double row_sum = 0;
  std::size_t n_seen = 0;

  void see(float found, float expected) {
    ++n_seen;
    difference = std::max(difference, std::abs(static_cast<double>(found) - static_cast<double>(expected)));
  }
  void see_rows(const KeptMatrix& map) {
    for (std::size_t row = 0; row < map.n_rows(); ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < map.n_columns; ++column) sum += map.at(row, column);
      row_sum = std::max(row_sum, std::abs(sum - 1));
    }
  }
};

struct SampledMaps {
  SampledMaps(const Golden& golden, std::size_t layers, std::size_t heads)
      : batch(golden.batch()),
        n_layer(layers),
        n_head(heads),
        rows(golden.read<std::uint8_t>("cell_rows")),
        columns(golden.read<std::uint8_t>("cell_columns")),
        values(golden.read<float>("cell_values")),
        full_lines(golden.read<std::int32_t>("full_lines")),
        maps(golden.read<float>("maps")),
        n_cell(values.size() / (batch.n_sequences() * n_map())) {}

  std::size_t n_map() const { return n_layer * n_head; }
  std::size_t n_tokens(std::size_t line) const { return batch.offsets[line + 1] - batch.offsets[line]; }

  // Where the whole maps of a line begin in `maps`; nothing where only sampled cells are kept.
  std::optional<std::size_t> full_maps(std::size_t line) const {
    std::size_t begin = 0;
    for (const std::int32_t full : full_lines) {
      if (static_cast<std::size_t>(full) == line) return begin;
      begin += n_map() * n_tokens(static_cast<std::size_t>(full)) * n_tokens(static_cast<std::size_t>(full));
    }
    return std::nullopt;
  }

  // The maps of a line that ran as sequence `sequence` of a batch.
  void compare(std::size_t line, std::size_t sequence, const KeepTap& tap, Worst* worst) const {
    std::optional<std::size_t> next = full_maps(line);
    for (std::size_t i = 0; i < n_map(); ++i) {
      const KeptMatrix& map = tap.get(TapKind::kPattern, sequence, i / n_head, i % n_head);
      ASSERT_EQ(map.n_rows(), n_tokens(line));
      worst->see_rows(map);
      for (std::size_t c = (line * n_map() + i) * n_cell; c < (line * n_map() + i + 1) * n_cell; ++c) {
        worst->see(map.at(rows[c], columns[c]), values[c]);
      }
      if (!next) continue;
      for (const float value : map.values) worst->see(value, maps.at((*next)++));
    }
  }

  TokenBatch batch;
  std::size_t n_layer, n_head;
  std::vector<std::uint8_t> rows, columns;  // [B, L, H, cells]
  std::vector<float> values;                // [B, L, H, cells]
  std::vector<std::int32_t> full_lines;
  std::vector<float> maps;  // [L, H, T, T] of each full line, end to end
  std::size_t n_cell;
};

}  // namespace attnviz
