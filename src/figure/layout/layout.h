// Figure -> Scene: where everything is placed. One panel becomes a map with labels, several a grid of thumbnails (layers down,
// heads across). Rules: nothing overlaps, nothing is cut, cells are square and on whole device pixels, and a remark names what was
// left out. Tested in tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include "figure/scene.h"

namespace attnviz {

// Throws SettingError(kUsage) for a style that cannot be drawn (unknown colour map, a width that leaves no room, values in a grid),
// Error(kBug) for a figure whose numbers do not fit together.
Scene layout_figure(const Figure& figure, const Style& style, const TextMeasure& measure);

}  // namespace attnviz
