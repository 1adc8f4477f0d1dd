// Replacing every occurrence of a text in another. Tested in tests/unit/base/replace_all_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace attnviz {

// Every `from` in *text, from left to right, becomes `to`; the new text is not searched again. `from` must not be empty.
inline void replace_all(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace attnviz
