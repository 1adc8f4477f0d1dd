// A Scene drawn on any Cairo surface. The caller has scaled the surface so that one unit is 1/96 inch.
// Tested in tests/golden.
#pragma once

#include "figure/scene.h"
#include "render/picture/text_engine.h"

namespace attnviz {

void draw_scene(const Scene& scene, cairo_t* cairo, TextEngine* text);

}  // namespace attnviz
