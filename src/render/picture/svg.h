// Figure -> SVG (Scalable Vector Graphics 1.1, W3C Recommendation): the same layout as a PNG's, with text as text.
// Tested in tests/golden, tests/unit/render/picture/svg_test.cpp and tests/cli/test_vector.py.
#pragma once

#include <attnviz/figure.h>

#include <string>

#include "render/picture/picture.h"

namespace attnviz {

// `notes` may be null.
std::string render_svg(const Figure& figure, const Style& style, RenderNotes* notes = nullptr);

}  // namespace attnviz
