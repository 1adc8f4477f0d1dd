// What layouts share. Private to figure/layout and the view registry. Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "figure/cells.h"
#include "figure/colour_map.h"
#include "figure/scale.h"
#include "figure/scene.h"
#include "figure/theme.h"

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

// Everything but the title, with its upper left corner at (0, 0), and the remarks to put under it.
struct Body {
  Scene scene;
  double matrix_left = 0;  // remarks start here
  std::vector<std::string> remarks{};
};

inline Rgb label_colour(const Theme& theme, const AxisLabel& label) {
  if (label.special) return theme.special;
  return label.generated ? theme.made : theme.ink;
}

// The sink's column and its colour.
inline LeftOut left_out(const LayoutContext& context) { return {context.figure.sink, context.theme.blank}; }

// The remarks of every view: the marks with their values if there is a single panel, the sink, bad cells.
std::vector<std::string> common_remarks(const LayoutContext& context);

// The same without the marks, for a view that describes them in more detail.
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

// The whole picture, with its body within limits. Throws what layout_figure throws.
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

// Throws the Error for more than `most` panels; `why` they have no room completes "12 maps ...".
[[noreturn]] void refuse_panels(const LayoutContext& context, std::string_view why, std::size_t most);

}  // namespace attnviz
