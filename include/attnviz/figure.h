// A picture before it is drawn: panels of numbers with labels, and the style they are drawn in. Knows no file format.
#pragma once

#include <attnviz/token.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnviz {

enum class Scale : std::uint8_t {
  kLinear,  // 0 .. maximum (or vmax)
  kRow,     // each row by its own maximum
  kLog,     // log10, from the smallest weight shown to the maximum
  kRobust,  // 0 .. 98th percentile, what lies above is clipped and said
};

struct Style {
  std::string cmap = "blues";  // see colour_map_names()
  Scale scale = Scale::kLinear;
  std::optional<float> vmax{};  // > 0; upper end of the colour bar
  bool values = false;          // numbers in the cells
  bool dark = false;
  double dpi = 96;                // 96 draws one unit as one pixel
  std::optional<double> width{};  // wanted picture width in pixels; cells shrink or grow to it
};

struct AxisLabel {
  std::string text;        // ready to draw: invisible characters are already visible
  bool special = false;    // drawn grey
  bool generated = false;  // drawn in a colour of its own
};

struct Panel {
  std::string title{};  // "Layer 3, head 1"
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t n_rows = 0;       // R
  std::size_t n_columns = 0;    // C
  std::vector<float> values{};  // [R, C]
};

struct Figure {
  std::string title{};     // one line, semi-bold
  std::string subtitle{};  // grey: model, kind of attention, notes
  std::string row_axis = "query (attends)";
  std::string column_axis = "key (attended to)";
  std::vector<AxisLabel> row_labels{};     // [R], shared by all panels
  std::vector<AxisLabel> column_labels{};  // [C]
  std::vector<Panel> panels{};             // one: a map; several: a grid, layers down and heads across
  std::string command{};                   // stored in the file's metadata
};

}  // namespace attnviz
