// A panel's weights as colours, several tokens to a cell where there is no room for one each. Tested in
// tests/unit/figure/cells_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <cstddef>
#include <optional>

#include "figure/colour_map.h"
#include "figure/scale.h"
#include "figure/scene.h"
#include "figure/theme.h"

namespace attnviz {

// ceil(n / block)
constexpr std::size_t n_blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

// How many weights a cell stands for.
struct CellBlock {
  std::size_t rows = 1;
  std::size_t columns = 1;
};

// A column that the scale leaves out, and its colour.
struct LeftOut {
  std::optional<std::size_t> column{};
  Rgb colour{};
};

// One cell for each block of values, coloured by the one of largest magnitude: a spike stays visible however small it is drawn.
// Place, cell size and gap are left to the caller.
SceneCells colour_cells(const Panel& panel, const ColourScale& scale, const ValueColours& colours, CellBlock block,
                        const LeftOut& left_out = {});

// Hatches over all cells with a weight that is not a number; adjacent ones become one hatch. `cells` are those of colour_cells,
// placed.
void add_hatches(const Panel& panel, const SceneCells& cells, CellBlock block, const Theme& theme, Scene* scene);

std::size_t count_bad(const Panel& panel);  // weights that are not numbers

}  // namespace attnviz
