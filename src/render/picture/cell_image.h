// Cells that touch as one small image. Viewers smooth what they enlarge, some even when they are asked not to (poppler below four
// times, librsvg), so in a file every cell is several pixels: then smoothing reaches no further than a fraction of a cell.
// Tested in tests/unit/render/picture/svg_test.cpp and tests/golden.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "figure/scene.h"

namespace attnviz {

struct CellPixels {
  std::size_t across = 1;
  std::size_t down = 1;
};

// As many as the cell has units, within bounds that keep files small.
inline CellPixels cell_pixels(const SceneCells& cells) {
  static constexpr double kMost = 8;
  static constexpr double kMostInAll = 3072;
  const auto pixels = [](double cell, std::size_t n) {
    const double bound = std::clamp(std::floor(kMostInAll / static_cast<double>(std::max<std::size_t>(n, 1))), 1.0, kMost);
    return static_cast<std::size_t>(std::clamp(std::round(cell), 1.0, bound));
  };
  return {pixels(cells.cell_width, cells.n_columns), pixels(cells.cell_height, cells.n_rows)};
}

}  // namespace attnviz
