// A panel's weights as colours, several tokens to a cell where there is no room for one each. Tested in
// tests/unit/figure/cells_test.cpp.
#pragma once

#include "figure/colour_map.h"
#include "figure/scale.h"
#include "figure/scene.h"

#include <attnviz/figure.h>

#include <cstddef>

namespace attnviz {

// ceil(n / block)
constexpr std::size_t n_blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

// How many weights a cell stands for.
struct CellBlock {
  std::size_t rows = 1;
  std::size_t columns = 1;
};

// One cell for each block of weights, coloured by the largest of them: a spike stays visible however small it is drawn.
// Place, cell size and gap are left to the caller.
SceneCells colour_cells(const Panel& panel, const ColourScale& scale, const ColourMap& map, CellBlock block);

}  // namespace attnviz
