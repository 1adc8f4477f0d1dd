// Token text made safe and visible for people: a space is U+2423, a newline U+21B5, a tab U+21E5; controls, bidi marks, joiners
// alone and other invisibles become their code point in brackets ("<U+200D>"). Joiners and variation selectors inside an emoji or a
// script that needs them stay. A continuation piece gets "##" in front. Tested in tests/unit/trace/label_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <string>
#include <string_view>

namespace attnviz {

std::string visible_text(std::string_view text);
std::string token_label(const Token& token);

}  // namespace attnviz
