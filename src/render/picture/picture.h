// The start of every picture format: a Figure laid out with real fonts, and remarks about the result.
// Tested in tests/unit/render/picture/picture_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <string>
#include <vector>

#include "figure/scene.h"
#include "render/picture/text_engine.h"

namespace attnviz {

// Remarks about a picture. Renderers do not print them; their callers do.
struct RenderNotes {
  std::vector<MissingGlyph> missing{};  // by code point, each once
};

// Starts finding fonts in the background, for a picture that this thread will draw later.
void prepare_pictures(const Style& style = {});

// The scene of a figure as this thread's text engine measures it. `notes` may be null.
Scene compose_picture(const Figure& figure, const Style& style, RenderNotes* notes);

// The title in the file's metadata.
std::string picture_title(const Figure& figure, const Style& style);

}  // namespace attnviz
