// The colour bar with what must be said beside it: caption, scale, ticks, the maximum, what was clipped.
// Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include "figure/layout/layout_parts.h"
#include "figure/scale.h"
#include "figure/scene.h"

#include <string>
#include <vector>

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

// The same lying, for under a text: caption, bar and ticks, and behind them what a bar says below it. Its size is the scene's.
Scene draw_flat_colour_bar(const LayoutContext& context);

}  // namespace attnviz
