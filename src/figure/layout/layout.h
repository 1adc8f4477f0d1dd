// Figure -> Scene: where everything stands. One panel becomes a map with labels, several a grid of thumbnails (layers down, heads
// across). Rules: nothing overlaps, nothing is cut, cells are square and lie on whole device pixels, what had to be left out is
// said. Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include "figure/scene.h"

#include <attnviz/figure.h>

namespace attnviz {

// Throws Error(kUsage) for a style that cannot be drawn (unknown colour map, a width that leaves no room, --values for a grid),
// Error(kBug) for a figure whose numbers do not fit together.
Scene layout_figure(const Figure& figure, const Style& style, const TextMeasure& measure);

}  // namespace attnviz
