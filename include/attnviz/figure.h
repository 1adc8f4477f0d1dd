// A picture before it is drawn: panels of numbers with labels, and the style they are drawn in. Knows no file format.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnviz {

// How a value maps to a colour. For signed values (ValueInfo::is_signed) the rule applies to the magnitude, on both sides of 0.
enum class Scale : std::uint8_t {
  kLinear,  // 0 .. maximum (or vmax)
  kRow,     // each row, 0 .. its own maximum
  kLog,     // log10, from the smallest weight shown to the maximum
  kOwn,     // each map, 0 .. its own maximum
  kRobust,  // 0 .. 98th percentile; values above it are clipped, and the caption says so
};

// How a figure shows its panels: the index of a row of src/figure/view_registry.cpp. Only views that code refers to have a name
// here, in the order of their rows; the others are known by their index.
enum class FigureView : std::uint8_t {
  kMap,    // cells: one panel becomes a labelled map, several a grid of thumbnails
  kGrid,   // thumbnails, also of one panel
  kLines,  // queries left, keys right, a curve for each link
  kRow,    // one query's distribution over the keys, as bars
  kText,   // the keys as a text, each shaded by what one query gives it
};

// What the user asks of a figure beyond its numbers.
struct FigureOptions {
  FigureView view = FigureView::kMap;
  Marks marks{};           // marks.row is the query that kLines, kRow and kText show
  bool hide_sink = false;  // leave a sink out of the colour scale, and mark it
};

// A page that the whole picture must fit, in units of 1/96 inch.
struct PageSize {
  double width = 0;
  std::optional<double> height{};  // unset: as high as the picture
  std::string unit = "px";         // the unit that the user wrote: px, pt, mm, cm or in
  double unit_size = 1;            // length of that unit
};

struct Style {
  std::string cmap = "blues";  // see colour_map_names(); signed values always use the diverging map
  Scale scale = Scale::kLinear;
  std::optional<float> vmax{};  // > 0: upper end of the colour bar; for signed values the lower end is -vmax
  bool values = false;          // numbers in the cells
  bool dark = false;
  double dpi = 96;                     // 96 draws one unit as one pixel
  std::optional<double> width{};       // wanted picture width in pixels; cells shrink or grow to reach it
  std::optional<PageSize> page{};      // instead of a width
  std::string font{};                  // font family of all text; empty: the program's preferred one
  bool transparent = false;            // no background
  std::optional<std::string> title{};  // replaces the figure's; "": neither title nor subtitle
};

// Options of an interactive page. The page holds whole maps, so `words` and `hide_special` only set how it opens.
struct PageOptions {
  bool exact = false;         // store every weight exactly, not rounded to 8 bits
  bool words = false;         // open with pieces merged into words
  bool hide_special = false;  // open without special tokens
};

// All options of a picture.
struct PictureOptions {
  Style style{};
  FigureOptions figure{};
  PageOptions page{};
};

struct AxisLabel {
  std::string text;        // ready to draw: invisible characters are already escaped
  bool special = false;    // drawn grey
  bool generated = false;  // drawn in a colour of its own
  std::string gap{};       // the text between the previous label and this one: nothing, " ", "\n" or " … "
  std::string in_text{};   // the label inside a sentence: without "##" and without the space that the vocabulary stores with it
};

// A marked cell, the same in every panel; a block of cells if a word has several pieces. Its weight is the mean over its rows of
// the sum over its columns, as if the pieces were merged into words.
struct CellMark {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t n_rows = 1;
  std::size_t n_columns = 1;
  std::string name{};  // "it → animal", ready to draw
};

struct Panel {
  std::string title{};  // "Layer 3, head 1"
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t n_rows = 0;       // R
  std::size_t n_columns = 0;    // C
  std::vector<float> values{};  // [R, C], described by Figure::value; NaN: a bad cell, hatched and never coloured
};

struct Figure {
  std::string title{};     // one line, semi-bold
  std::string subtitle{};  // grey: model, kind of attention, notes
  std::string row_axis = "query (attends)";
  std::string column_axis = "key (attended to)";
  std::vector<AxisLabel> row_labels{};     // [R], shared by all panels
  std::vector<AxisLabel> column_labels{};  // [C]
  std::vector<Panel> panels{};             // one: a map; several: a grid, layers down and heads across
  ValueInfo value{};                       // what the panels' numbers are
  bool level_columns = false;              // column labels are numbers: drawn horizontally where they fit
  std::string bad_cell = "bad";            // what a hatched cell is called: "2 bad cells are hatched"
  FigureView view = FigureView::kMap;
  std::vector<CellMark> highlights{};
  std::vector<std::size_t> rows{};           // kLines: the rows of the chosen query
  std::vector<std::size_t> query_columns{};  // kRow, kText: the columns of the query itself
  std::optional<std::size_t> sink{};         // the column that is left out of the colour scale
  double sink_share = 0;                     // the sink's share of all weight
  std::string layer_name{};                  // "mean" if the panels' layers were combined: replaces the layer number
  std::string head_name{};
  std::string command{};  // stored in the file's metadata
};

}  // namespace attnviz
