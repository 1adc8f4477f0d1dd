// Drawing a run of Pango's glyphs on a surface. Private to text_engine.cpp. Tested in tests/unit/render.
//
// On images glyphs are filled as outlines: Cairo 1.16 would set glyph images on whole pixels. On a PDF they are shown as text, so
// that it can be found and copied. Glyphs with colours of their own (emoji) and the boxes that Pango draws for missing glyphs are
// no text there: they are drawn as small images, over invisible text with their characters.
#pragma once

#include <vector>

typedef struct _cairo cairo_t;
typedef struct _PangoLayout PangoLayout;

namespace attnviz {

bool has_colour_glyphs(PangoLayout* line);

// The code points of a line that no font has, U+FFFD for bytes that are not characters.
std::vector<char32_t> missing_code_points(PangoLayout* line);

// Draws a layout of one line with the source that is set, its start at (0, 0) on the baseline. `dot` is a layout of ".", whose
// invisible glyph represents text that is drawn as an image.
void draw_line(cairo_t* cairo, PangoLayout* line, PangoLayout* dot);

}  // namespace attnviz
