// Text made to fit a width: cut in the middle, or broken into lines. Cuts never separate a character from its accents or joiners.
// Tested in tests/unit/figure/layout/text_fit_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "figure/scene.h"

namespace attnviz {

struct TextStyle {
  double size = 12;
  FontWeight weight = FontWeight::kRegular;
};

// The text itself when it is at most `max_width` wide; else its beginning and end around an ellipsis.
std::string elide_middle(std::string_view text, double max_width, const TextStyle& style, const TextMeasure& measure);

// Lines at most `max_width` wide, broken at spaces; a single longer word is elided. At most `max_lines`: the rest ends in an
// ellipsis.
std::vector<std::string> wrap_text(std::string_view text, double max_width, const TextStyle& style, const TextMeasure& measure,
                                   std::size_t max_lines = 4);

}  // namespace attnviz
