// "did you mean": the closest of some known names. Tested in tests/unit/base/suggest_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

// Damerau-Levenshtein distance (insert, delete, replace, swap neighbours) over bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The first known name that begins with `word` (of at least three bytes); else the nearest one, if it is close enough to be a
// typing mistake (a distance of at most a third of the word's bytes, or 1). Case is ignored.
std::optional<std::string> closest_name(std::string_view word, std::span<const std::string> known);

}  // namespace attnviz
