// The command line as a shell would take it again: every output can tell the command that made it.
// Tested in tests/unit/cli/quote_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attnviz {

std::string shell_quote(std::string_view word);

// "attnviz" and the quoted arguments after the program's name.
std::string quoted_command(std::span<const std::string> arguments);

}  // namespace attnviz
