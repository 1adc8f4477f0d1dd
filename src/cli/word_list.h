// Words as help texts and messages list them. Tested in tests/cli/test_usage.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// "a", "a or b", "a, b or c".
std::string list_with_or(const std::vector<std::string>& words);

// Throws Error(kUsage) for a value of an option that is not one of the known words, with the nearest of them.
[[noreturn]] void refuse_word(std::string_view option, const std::string& word, const std::vector<std::string>& known);

}  // namespace attnviz
