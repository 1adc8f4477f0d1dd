// Traces made of arithmetic alone, the same on every machine.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <string>
#include <vector>

namespace attnviz {

// One map over the given words between [CLS] and [SEP]: most weight a few tokens back, some on the first, one clear link.
Trace one_map(const std::vector<std::string>& words);

// "w0", "w1", ... of growing and shrinking length.
std::vector<std::string> numbered_words(std::size_t n);

// What changes between one_map and the same with attention one more token back: values of both signs, called "change".
Trace map_of_changes(const std::vector<std::string>& words);

// n_layer x n_head maps over the words, each with another offset.
Trace grid_of_maps(const std::vector<std::string>& words, std::size_t n_layer, std::size_t n_head);

}  // namespace attnviz
