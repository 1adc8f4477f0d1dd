// "--layer" and "--head" values: "3", "0-2,5", "all". Tested in tests/unit/cli/options/selection_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// The chosen indices, sorted and unique, each below `count`. `option` ("--layer") and `what` ("layers") are for messages; a model
// with that many (or a file) is named as `model`. Throws Error(kUsage) for a malformed list or an index out of range.
struct SelectionContext {
  std::string_view option;
  std::string_view what;
  std::string_view model;
  std::size_t count = 0;
};

std::vector<std::size_t> parse_selection(std::string_view text, const SelectionContext& context);

// The same among indices that are not all from 0 on, as a file holds them (sorted, unique); `context.count` is not used. Throws
// Error(kUsage) for one that is not there, with those that are.
std::vector<std::size_t> select_available(std::string_view text, const SelectionContext& context,
                                          const std::vector<std::size_t>& available);

// Throws what parse_selection would throw for a malformed list, whatever the model: called before a model is opened.
void check_selection(std::string_view text, std::string_view option);

}  // namespace attnviz
