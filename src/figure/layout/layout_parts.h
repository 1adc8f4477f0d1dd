// What the layouts share, private to figure/layout and its registry. Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include "figure/cells.h"
#include "figure/colour_map.h"
#include "figure/scale.h"
#include "figure/scene.h"
#include "figure/theme.h"

#include <attnviz/figure.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace attnviz {

struct LayoutContext {
  const Figure& figure;
  const Style& style;
  const TextMeasure& measure;
  const Theme& theme;
  ValueColours colours;
  ColourScale scale;
  double pixel = 1;                      // width of a device pixel in units
  std::optional<double> max_width{};     // of the body, when the user asked for a width
  double smallest_size = kSmallestSize;  // of a font
  double tightness = 1;                  // of the usual distance between rows of words, at least

  double up_to_pixel(double units) const { return std::ceil(units / pixel - 1e-6) * pixel; }

  // A text at its anchor, measured.
  SceneText text(std::string string, double size, Rgb colour, FontWeight weight = FontWeight::kRegular) const {
    SceneText made{.text = std::move(string), .size = size, .weight = weight, .colour = colour};
    made.width = measure(made.text, size, weight);
    return made;
  }
};

// A body: all but the title, with its upper left corner at (0, 0), and remarks that go under it.
struct Body {
  Scene scene;
  double matrix_left = 0;  // remarks start here
  std::vector<std::string> remarks{};
};

inline Rgb label_colour(const Theme& theme, const AxisLabel& label) {
  if (label.special) return theme.special;
  return label.generated ? theme.made : theme.ink;
}

// Where the sink's column gets its colour from.
inline LeftOut left_out(const LayoutContext& context) { return {context.figure.sink, context.theme.blank}; }

// What any view must say under it: the sink, bad cells, and before them the marks with their values where a single panel has them.
std::vector<std::string> common_remarks(const LayoutContext& context);

// The same without the marks, for a view that says more of them.
std::vector<std::string> panel_remarks(const LayoutContext& context);

Body layout_map(const LayoutContext& context);
Body layout_grid(const LayoutContext& context);
Body layout_lines(const LayoutContext& context);
Body layout_row(const LayoutContext& context);
Body layout_text(const LayoutContext& context);

inline OwnMaxima own_maxima(const LayoutContext& context, const Panel& panel) {
  return {panel, context.scale, context.figure.sink};
}

struct BodyLimits {
  std::optional<double> width{};  // in device pixels
  double smallest_size = kSmallestSize;
  double tightness = 1;
};

// The whole picture, its body within limits. For both, layout.h says what is thrown.
Scene frame_body(const Figure& figure, const Style& style, const TextMeasure& measure, const BodyLimits& limits);
Scene layout_on_page(const Figure& figure, const Style& style, const TextMeasure& measure);

// "each cell is the largest of 2 × 4 weights"
std::string largest_remark(const LayoutContext& context, CellBlock block);

// "every 8th label"
std::string thinning_remark(std::size_t step, const std::string& what);

// Adds the colour bar column `gap` to the right of the matrix, its top at the matrix's top, and grows the scene's size around it.
void add_colour_bar(const LayoutContext& context, double x, double top, double room, Scene* scene);

// Throws the Error for a width that leaves no room; `needed` is the least width of a body.
[[noreturn]] void refuse_width(const LayoutContext& context, double needed);

}  // namespace attnviz
