// A sentence: words in reading order, shaded by weight, in lines of a given width. Pieces of a word touch, newlines break lines,
// and right-to-left text runs that way. Tested in tests/unit/figure/layout/layout_views_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include "figure/layout/layout_parts.h"
#include "figure/scene.h"

namespace attnviz {

struct SentenceStyle {
  double width = 0;      // of a line
  double size = 15;      // of the words
  bool numbers = false;  // the weight under each word
};

// The columns of a panel of one row, with the upper left corner at (0, 0). The query's words are underlined, marked ones framed.
Scene draw_sentence(const LayoutContext& context, const Panel& panel, const SentenceStyle& style);

}  // namespace attnviz
