// The command line of a Provenance as text that a POSIX shell can run. Tested in tests/unit/base/command_text_test.cpp.
#pragma once

#include <attnviz/provenance.h>

#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// A word of safe characters stays as it is; one without " $ ` \ ! goes into double quotes, as people type sentences with
// apostrophes; every other word goes into single quotes.
std::string shell_quote(std::string_view word);

// The words before "--": the program, the command, and its options and arguments.
std::vector<std::string> command_words(const std::string& program, const CommandLine& line);

// "attnviz \"The cat sat.\" --layer 3 -f png" of what made an output; empty if it is not known.
std::string command_text(const Provenance& provenance);

}  // namespace attnviz
