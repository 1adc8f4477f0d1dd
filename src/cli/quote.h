// The command line as a shell would take it again: every output can tell the command that made it.
// Tested in tests/unit/cli/quote_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attnviz {

std::string shell_quote(std::string_view word);

// "attnviz" and the quoted arguments after the program's name, but for those that change no byte of a result: how many threads
// work, whether notes are printed, and the name of the file. Where that name decided the format, -f FORMAT says it instead. So the
// same request gives the same bytes wherever it is written.
std::string quoted_command(std::span<const std::string> arguments, std::string_view format);

}  // namespace attnviz
