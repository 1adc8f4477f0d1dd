// A matrix as two-column cells with labels around it, in as many blocks of columns as the terminal's width asks for, and its
// legend. Colours where the terminal has them, digits 0-9 otherwise. Tested in tests/unit/render/terminal/terminal_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "figure/scale.h"
#include "render/terminal/terminal.h"
#include "render/terminal/terminal_text.h"

namespace attnviz {

struct GridLabel {
  TerminalText text;
  std::string_view sgr{};  // see terminal_colour.h
};

struct CellGrid {
  std::vector<GridLabel> rows;     // [R]
  std::vector<GridLabel> columns;  // [C]
  std::vector<float> values;       // [R, C]
  ColourScale scale;
  ValueInfo value{};
  std::vector<CellMark> marks{};
  std::optional<std::size_t> sink{};  // a column that the scale leaves out
};

// Number of blocks of columns; 0 if not even one cell fits.
std::size_t n_grid_blocks(const CellGrid& grid, std::size_t columns);

// Width of the first block in columns, for what is above it.
std::size_t grid_width(const CellGrid& grid, std::size_t columns);

std::string draw_grid(const CellGrid& grid, const TerminalOptions& options);

// "0 [shades] 0.677  attention weight": the meaning of shades or digits, and what the scale leaves out.
std::string draw_legend(const ColourScale& scale, const ValueInfo& value, const TerminalOptions& options);

}  // namespace attnviz
