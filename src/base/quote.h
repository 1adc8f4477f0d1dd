// Foreign text inside a message: a tensor's name or a setting's value comes from a file and may contain anything.
// Tested in tests/unit/base/quote_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attnviz {

// `text` in double quotes; control characters and bytes that are not UTF-8 as \xHH, quote and backslash escaped; cut with "..."
// once `limit` bytes are used.
std::string quote_text(std::string_view text, std::size_t limit = 100);

// `text`, safe for a terminal: the same escapes for unsafe characters, without quotes, not cut.
std::string printable_text(std::string_view text);

}  // namespace attnviz
