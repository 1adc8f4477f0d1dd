// Marked cells of a drawn map: a frame, and beside it a tag that says the weight. Tested in
// tests/unit/figure/layout/layout_views_test.cpp.
#pragma once

#include "figure/cells.h"
#include "figure/layout/layout_parts.h"
#include "figure/scene.h"

namespace attnviz {

// A warm frame with a hairline of the ground round it, so that it shows on any colours.
void add_frame(const LayoutContext& context, const SceneFrame& frame, Scene* scene);

// Frames all marks of the figure on its first panel, whose cells are the scene's first, and tags those for which there is room in
// the matrix or below it: the side whose cells say least. `beyond`: how far a tag may reach over the matrix's right edge. With the
// weights in the cells there are no tags.
void mark_cells(const LayoutContext& context, CellBlock block, double beyond, Scene* scene);

}  // namespace attnviz
