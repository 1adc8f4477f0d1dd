// Words as help texts and messages list them.
#pragma once

#include <string>
#include <vector>

namespace attnviz {

// "a", "a or b", "a, b or c".
inline std::string list_with_or(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace attnviz
