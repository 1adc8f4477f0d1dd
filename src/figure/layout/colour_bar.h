// The colour bar with what must be said beside it: caption, scale, ticks, the maximum, what was clipped.
// Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include "figure/scale.h"
#include "figure/scene.h"

#include <attnviz/figure.h>

#include <string>
#include <vector>

namespace attnviz {

struct ColourBar {
  std::vector<std::string> above;  // caption lines
  std::vector<std::string> below;  // the maximum, clipping
  std::vector<Tick> ticks;
  double width = 0;  // of the whole column
  double bar_height = 0;
  double height = 0;  // of the whole column
};

// `room` is the height beside the matrix; the column may need more.
ColourBar plan_colour_bar(const ColourScale& scale, const Style& style, double room, const TextMeasure& measure);

// With its upper left corner at (0, 0). `pixel` is the width of a device pixel in units.
Scene draw_colour_bar(const ColourBar& bar, const Style& style, double pixel, const TextMeasure& measure);

// The same lying, for under a text: caption, bar and ticks, and behind them what a bar says below it. Its size is the scene's.
Scene draw_flat_colour_bar(const ColourScale& scale, const Style& style, double pixel, const TextMeasure& measure);

}  // namespace attnviz
