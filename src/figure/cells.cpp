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

// Of weights [begin, end) of a row, without the one that is left out.
float largest_of(const float* row, std::size_t begin, std::size_t end, const std::optional<std::size_t>& left_out) {
  if (!left_out || *left_out < begin || *left_out >= end) return largest(row + begin, end - begin);
  return std::max(largest(row + begin, *left_out - begin), largest(row + *left_out + 1, end - *left_out - 1));
}

// What a row's colours are shares of, by the scale.
class OwnMaximum {
 public:
  OwnMaximum(const Panel& panel, Scale scale, const std::optional<std::size_t>& left_out)
      : panel_(panel), scale_(scale), left_out_(left_out) {
    if (scale != Scale::kOwn) return;
    for (std::size_t row = 0; row < panel.n_rows; ++row) of_map_ = std::max(of_map_, of_row(row));
  }

  double at(std::size_t row) const { return scale_ == Scale::kRow ? of_row(row) : of_map_; }

 private:
  double of_row(std::size_t row) const {
    return largest_of(panel_.values.data() + row * panel_.n_columns, 0, panel_.n_columns, left_out_);
  }

  const Panel& panel_;
  Scale scale_;
  const std::optional<std::size_t>& left_out_;
  double of_map_ = 0;
};

// Whether any weight of a block is not a number.
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

SceneCells colour_cells(const Panel& panel, const ColourScale& scale, const ColourMap& map, CellBlock block,
                        const LeftOut& left_out) {
  SceneCells cells{.n_rows = n_blocks(panel.n_rows, block.rows), .n_columns = n_blocks(panel.n_columns, block.columns)};
  cells.colours.assign(cells.n_rows * cells.n_columns, map.colours.front());
  const OwnMaximum own_maximum(panel, scale.kind, left_out.column);
  std::vector<double> positions(cells.n_columns);
  for (std::size_t cell_row = 0; cell_row < cells.n_rows; ++cell_row) {
    std::fill(positions.begin(), positions.end(), 0.0);
    const std::size_t last_row = std::min(panel.n_rows, (cell_row + 1) * block.rows);
    for (std::size_t row = cell_row * block.rows; row < last_row; ++row) {
      const float* weights = panel.values.data() + row * panel.n_columns;
      const double row_maximum = own_maximum.at(row);
      for (std::size_t column = 0; column < cells.n_columns; ++column) {
        const std::size_t begin = column * block.columns;
        const double weight = largest_of(weights, begin, std::min(begin + block.columns, panel.n_columns), left_out.column);
        positions[column] = std::max(positions[column], scale.position(weight, row_maximum));
      }
    }
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      cells.colours[cell_row * cells.n_columns + column] = map.at(positions[column]);
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
