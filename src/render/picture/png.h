// Figure -> PNG bytes: text by Pango, drawing by Cairo, encoding by stb_image_write, the command in a tEXt chunk.
// Tested in tests/golden and tests/unit/render.
#pragma once

#include <attnviz/figure.h>

#include <string>

#include "render/picture/picture.h"

namespace attnviz {

// `notes` may be null.
std::string render_png(const Figure& figure, const Style& style, RenderNotes* notes = nullptr);

}  // namespace attnviz
