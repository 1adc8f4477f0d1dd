// Marked cells of a drawn map: a frame, and beside it a tag with the weight. Tested in
// tests/unit/figure/layout/layout_views_test.cpp.
#pragma once

#include "figure/cells.h"
#include "figure/layout/layout_parts.h"
#include "figure/scene.h"

namespace attnviz {

// A warm frame with a hairline of the background colour around it, so that it is visible on any colours.
void add_frame(const LayoutContext& context, const SceneFrame& frame, Scene* scene);

// Frames all marks of the figure on its first panel, whose cells are the scene's first. Tags those for which there is room in the
// matrix or below it, on the side whose cells have the least weight. `beyond`: how far a tag may extend past the matrix's right
// edge. There are no tags if the cells show their weights.
void mark_cells(const LayoutContext& context, CellBlock block, double beyond, Scene* scene);

}  // namespace attnviz
