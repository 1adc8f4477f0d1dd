// Figure -> PDF bytes: the same layout as a PNG's, through Cairo, on one page of the picture's size. Text stays text: fonts are
// embedded, and every character can be found and copied. Tested in tests/golden, tests/unit/render/picture/pdf_test.cpp and
// tests/cli/test_vector.py.
#pragma once

#include <attnviz/figure.h>

#include <string>

#include "render/picture/picture.h"

namespace attnviz {

// `notes` may be null. Same input, same bytes: the file has no date, unless the environment has a SOURCE_DATE_EPOCH.
std::string render_pdf(const Figure& figure, const Style& style, RenderNotes* notes = nullptr);

}  // namespace attnviz
