// Values of --layer and --head ("3", "0-2,5", "all") and of --kind ("cross"). Tested in tests/unit/cli/options/selection_test.cpp.
#pragma once

#include <attnviz/site.h>

#include <cstddef>
#include <optional>
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

// The same among the indices that a file holds (sorted, unique), which may have gaps; `context.count` is not used. Throws
// Error(kUsage) for an index that is not there, with those that are.
std::vector<std::size_t> select_available(std::string_view text, const SelectionContext& context,
                                          const std::vector<std::size_t>& available);

// The site of that name; nothing for an empty one. Throws Error(kUsage) for another name, with the nearest known one.
std::optional<Site> parse_kind(const std::string& name);

// `wanted`, or the only one of `available`. Throws Error(kUsage) for one that `where`, a model or a file, does not have, and where
// several are there and none is wanted.
Site choose_kind(std::optional<Site> wanted, const std::vector<Site>& available, const std::string& where);

// Throws what parse_selection throws for a malformed list of any model. Called before a model is opened.
void check_selection(std::string_view text, std::string_view option);

}  // namespace attnviz
