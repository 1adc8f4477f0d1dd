// See cells.h.
#include "figure/cells.h"

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

// The larger of two values; with signs, the one of larger magnitude.
template <bool kSigned>
bool beats(float value, float best) {
  return kSigned ? std::abs(value) > std::abs(best) : value > best;
}

// Not-a-number loses every comparison; infinities are left out as make_scale leaves them out.
template <bool kSigned>
float strongest(const float* values, std::size_t n) {
  float best = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (beats<kSigned>(values[i], best) && std::isfinite(values[i])) best = values[i];
  }
  return best;
}

// The strongest of values [begin, end) of a row, without the one that is left out.
template <bool kSigned>
float strongest_of(const float* row, std::size_t begin, std::size_t end, const std::optional<std::size_t>& left_out) {
  if (!left_out || *left_out < begin || *left_out >= end) return strongest<kSigned>(row + begin, end - begin);
  const float before = strongest<kSigned>(row + begin, *left_out - begin);
  const float behind = strongest<kSigned>(row + *left_out + 1, end - *left_out - 1);
  return beats<kSigned>(behind, before) ? behind : before;
}

struct RowScale {
  const ColourScale& scale;
  double own_maximum;
  std::size_t block_columns;
  const std::optional<std::size_t>& left_out;
};

// A row of values [C] against the positions [cells] of the rows above it in the same cells: the stronger one stays.
template <bool kSigned>
void raise_positions(const Panel& panel, std::size_t row, const RowScale& by, std::vector<double>* positions) {
  const float* values = panel.values.data() + row * panel.n_columns;
  for (std::size_t column = 0; column < positions->size(); ++column) {
    const std::size_t begin = column * by.block_columns;
    const float value = strongest_of<kSigned>(values, begin, std::min(begin + by.block_columns, panel.n_columns), by.left_out);
    const double position = by.scale.position(value, by.own_maximum);
    double& best = (*positions)[column];
    if (kSigned ? std::abs(position) > std::abs(best) : position > best) best = position;
  }
}

// Whether any value of a block is not a number.
bool is_bad(const Panel& panel, CellBlock block, std::size_t cell_row, std::size_t cell_column) {
  const std::size_t last_row = std::min(panel.n_rows, (cell_row + 1) * block.rows);
  const std::size_t last_column = std::min(panel.n_columns, (cell_column + 1) * block.columns);
  for (std::size_t row = cell_row * block.rows; row < last_row; ++row) {
    for (std::size_t column = cell_column * block.columns; column < last_column; ++column) {
      if (!std::isfinite(panel.values[row * panel.n_columns + column])) return true;
    }
  }
  return false;
}

}  // namespace

SceneCells colour_cells(const Panel& panel, const ColourScale& scale, const ValueColours& colours, CellBlock block,
                        const LeftOut& left_out) {
  SceneCells cells{.n_rows = n_blocks(panel.n_rows, block.rows), .n_columns = n_blocks(panel.n_columns, block.columns)};
  cells.colours.assign(cells.n_rows * cells.n_columns, colours.at(0));
  const OwnMaxima maxima(panel, scale, left_out.column);
  std::vector<double> positions(cells.n_columns);
  for (std::size_t cell_row = 0; cell_row < cells.n_rows; ++cell_row) {
    std::fill(positions.begin(), positions.end(), 0.0);
    const std::size_t last_row = std::min(panel.n_rows, (cell_row + 1) * block.rows);
    for (std::size_t row = cell_row * block.rows; row < last_row; ++row) {
      if (scale.is_signed) {
        raise_positions<true>(panel, row, {scale, maxima.of_row(row), block.columns, left_out.column}, &positions);
      } else {
        raise_positions<false>(panel, row, {scale, maxima.of_row(row), block.columns, left_out.column}, &positions);
      }
    }
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      cells.colours[cell_row * cells.n_columns + column] = colours.at(positions[column]);
    }
    if (left_out.column && block.columns == 1) cells.colours[cell_row * cells.n_columns + *left_out.column] = left_out.colour;
  }
  return cells;
}

void add_hatches(const Panel& panel, const SceneCells& cells, CellBlock block, const Theme& theme, Scene* scene) {
  if (count_bad(panel) == 0) return;
  for (std::size_t row = 0; row < cells.n_rows; ++row) {
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      const std::size_t first = column;
      while (column < cells.n_columns && is_bad(panel, block, row, column)) ++column;
      if (column == first) continue;
      scene->hatches.push_back({cells.x + static_cast<double>(first) * cells.cell_width,
                                cells.y + static_cast<double>(row) * cells.cell_height,
                                static_cast<double>(column - first) * cells.cell_width - cells.gap, cells.cell_height - cells.gap,
                                theme.blank, theme.hatch});
    }
  }
}

std::size_t count_bad(const Panel& panel) {
  return static_cast<std::size_t>(
      std::count_if(panel.values.begin(), panel.values.end(), [](float weight) { return !std::isfinite(weight); }));
}

}  // namespace attnviz
