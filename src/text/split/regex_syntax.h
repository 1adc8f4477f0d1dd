// Which regular expressions mean the same to Oniguruma and to PCRE2. Tested in tests/unit/text/split/regex_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnviz {

// The first part of `pattern` that the two could read differently, or nothing.
std::optional<std::string> ambiguous_part(std::string_view pattern);

}  // namespace attnviz
