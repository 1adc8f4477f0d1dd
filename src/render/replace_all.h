// Every `from` in a text becomes `to`; what was put in is not looked at again. For the escaping rules of the exporters.
#pragma once

#include <string>
#include <string_view>

namespace attnviz {

inline void replace_all(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace attnviz
