// A picture before it is drawn: panels of numbers with labels, and the style they are drawn in. Knows no file format.
#pragma once

#include <attnviz/trace.h>

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
  kOwn,     // each map by its own maximum
  kRobust,  // 0 .. 98th percentile; values above it are clipped, and the caption says so
};
// For signed values (ValueInfo::is_signed) each is a scale of magnitudes, to both sides of 0.

// What a figure shows of its panels: the number of a row of src/figure/view_registry.cpp. Views that code names have a name here,
// in the order of their rows; others are known by their row alone.
enum class FigureView : std::uint8_t {
  kMap,    // cells: one panel becomes a labelled map, several a grid of thumbnails
  kGrid,   // thumbnails, also of one panel
  kLines,  // queries left, keys right, a curve for each link
  kRow,    // one query's distribution over the keys, as bars
  kText,   // the keys as a text, each shaded by what one query gives it
};

// What is asked of a figure beyond its numbers.
struct FigureOptions {
  FigureView view = FigureView::kMap;
  Marks marks{};           // its row is the query that kLines, kRow and kText are about
  bool hide_sink = false;  // a key that takes most of most rows is left out of the colour scale, and marked
};

// A page that the whole picture has to fit, in units of 1/96 inch.
struct PageSize {
  double width = 0;
  std::optional<double> height{};  // as high as the picture is, when not set
  std::string unit = "px";         // that it was asked for in: px, pt, mm, cm or in
  double unit_size = 1;            // of one of them
};

struct Style {
  std::string cmap = "blues";  // see colour_map_names(); signed values have the one diverging map
  Scale scale = Scale::kLinear;
  std::optional<float> vmax{};  // > 0; upper end of the colour bar, and of signed values minus the lower one
  bool values = false;          // numbers in the cells
  bool dark = false;
  double dpi = 96;                     // 96 draws one unit as one pixel
  std::optional<double> width{};       // wanted picture width in pixels; cells shrink or grow to it
  std::optional<PageSize> page{};      // instead of a width
  std::string font{};                  // family of all text; empty: what the program likes best
  bool transparent = false;            // no background
  std::optional<std::string> title{};  // instead of the figure's; empty: neither title nor subtitle
};

// What is asked of a page to explore; it holds whole maps, so these are only how it opens.
struct PageOptions {
  bool exact = false;         // every weight as it is, not rounded to 8 bits
  bool words = false;         // opens with pieces merged into words
  bool hide_special = false;  // opens without special tokens
};

// All that is asked of a picture.
struct PictureOptions {
  Style style{};
  FigureOptions figure{};
  PageOptions page{};
};

struct AxisLabel {
  std::string text;        // ready to draw: invisible characters are already visible
  bool special = false;    // drawn grey
  bool generated = false;  // drawn in a colour of its own
  std::string gap{};       // what is in the text between the label before and this one: nothing, " ", "\n" or " … "
  std::string in_text{};   // the label as it is in a sentence: without "##", without the space that a vocabulary keeps with it
};

// A cell of every panel that is marked, or a block of cells where words have several pieces. Its weight is the mean of its rows'
// sums, as if the pieces were merged into words.
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
  std::vector<float> values{};  // [R, C] of what Figure::value says; not a number: a bad cell, hatched and never coloured
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
  bool level_columns = false;              // column labels are numbers, which stand level where they fit
  std::string bad_cell = "bad";            // what a hatched cell is called: "2 bad cells are hatched"
  FigureView view = FigureView::kMap;
  std::vector<CellMark> highlights{};
  std::vector<std::size_t> rows{};           // kLines: those of the chosen query
  std::vector<std::size_t> query_columns{};  // kRow, kText: the columns that are the query itself
  std::optional<std::size_t> sink{};         // the column that is left out of the colour scale
  double sink_share = 0;                     // of all weight
  std::string layer_name{};                  // "mean": the panels' layers were combined, and this stands for their number
  std::string head_name{};
  std::string command{};  // stored in the file's metadata
};

}  // namespace attnviz
