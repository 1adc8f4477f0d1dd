// Figure -> PNG bytes: text by Pango, drawing by Cairo, encoding by stb_image_write, the command in a tEXt chunk.
// Tested in tests/golden and tests/unit/render.
#pragma once

#include <attnviz/figure.h>

#include <string>

namespace attnviz {

// Lets fonts be found in the background, for a picture that this thread will draw later.
void prepare_pictures();

std::string render_png(const Figure& figure, const Style& style);

}  // namespace attnviz
