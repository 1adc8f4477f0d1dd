// A figure for tests of the picture formats.
#pragma once

#include <attnviz/figure.h>

#include <string>
#include <vector>

namespace attnviz {

inline Figure figure_of_words(const std::vector<std::string>& words) {
  Figure figure{.title = "Layer 0, head 0", .subtitle = "model"};
  for (const std::string& word : words) {
    figure.row_labels.push_back({.text = word});
    figure.column_labels.push_back({.text = word});
  }
  const std::size_t n = words.size();
  figure.panels.push_back({.n_rows = n, .n_columns = n, .values = std::vector<float>(n * n, 0.25F)});
  figure.command = "attnviz 'a <b>'";
  return figure;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace attnviz
