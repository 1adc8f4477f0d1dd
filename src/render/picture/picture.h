// What every picture format starts from: a Figure laid out with the real fonts, and what is to be said about it afterwards.
// Tested in tests/unit/render/picture/picture_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <string>
#include <vector>

#include "figure/scene.h"
#include "render/picture/text_engine.h"

namespace attnviz {

// What a picture's reader should be told; nothing here is printed by the renderers.
struct RenderNotes {
  std::vector<MissingGlyph> missing{};  // by code point, each once
};

// Lets fonts be found in the background, for a picture that this thread will draw later.
void prepare_pictures(const Style& style = {});

// The scene of a figure as this thread's text engine measures it. `notes` may be null.
Scene compose_picture(const Figure& figure, const Style& style, RenderNotes* notes);

// What the file's metadata calls the picture.
std::string picture_title(const Figure& figure, const Style& style);

}  // namespace attnviz
