// See cells.h.
#include "figure/cells.h"

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

// Not-a-number loses every comparison; infinities are left out as make_scale leaves them out.
float largest(const float* values, std::size_t n) {
  float best = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i] > best && std::isfinite(values[i])) best = values[i];
  }
  return best;
}

}  // namespace

SceneCells colour_cells(const Panel& panel, const ColourScale& scale, const ColourMap& map, CellBlock block) {
  SceneCells cells{.n_rows = n_blocks(panel.n_rows, block.rows), .n_columns = n_blocks(panel.n_columns, block.columns)};
  cells.colours.assign(cells.n_rows * cells.n_columns, map.colours.front());
  std::vector<double> positions(cells.n_columns);
  for (std::size_t cell_row = 0; cell_row < cells.n_rows; ++cell_row) {
    std::fill(positions.begin(), positions.end(), 0.0);
    const std::size_t last_row = std::min(panel.n_rows, (cell_row + 1) * block.rows);
    for (std::size_t row = cell_row * block.rows; row < last_row; ++row) {
      const float* weights = panel.values.data() + row * panel.n_columns;
      const double row_maximum = scale.kind == Scale::kRow ? largest(weights, panel.n_columns) : 0;
      for (std::size_t column = 0; column < cells.n_columns; ++column) {
        const std::size_t begin = column * block.columns;
        const double weight = largest(weights + begin, std::min(block.columns, panel.n_columns - begin));
        positions[column] = std::max(positions[column], scale.position(weight, row_maximum));
      }
    }
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      cells.colours[cell_row * cells.n_columns + column] = map.at(positions[column]);
    }
  }
  return cells;
}

}  // namespace attnviz
