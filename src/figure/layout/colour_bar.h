// The colour bar with its captions: value name, scale, ticks, maximum, and what was clipped.
// Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "figure/layout/layout_parts.h"
#include "figure/scale.h"
#include "figure/scene.h"

namespace attnviz {

struct ColourBar {
  std::vector<std::string> above;  // caption lines
  std::vector<std::string> below;  // the extremes, clipping
  std::vector<Tick> ticks;
  double width = 0;  // of the whole column
  double bar_height = 0;
  double height = 0;  // of the whole column
};

// `room` is the height beside the matrix; the column may need more.
ColourBar plan_colour_bar(const LayoutContext& context, double room);

// With its upper left corner at (0, 0).
Scene draw_colour_bar(const LayoutContext& context, const ColourBar& bar);

// The same bar, horizontal, for the space under a text: caption, bar, ticks, and after them the text that is below a vertical bar.
// The scene has its size.
Scene draw_flat_colour_bar(const LayoutContext& context);

}  // namespace attnviz
