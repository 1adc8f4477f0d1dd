// "did you mean": the closest of some known names. Tested in tests/unit/base/suggest_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

// Damerau-Levenshtein distance (insert, delete, replace, swap neighbours) over bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name nearest to `word`, if it is near enough to be a typing error (a third of its length at most) or if
// the word is its beginning (three letters at least). Case does not count.
std::optional<std::string> closest_name(std::string_view word, std::span<const std::string> known);

}  // namespace attnviz
