// Where the text comes from: the command line, a file, or standard input. Tested in tests/cli/test_long.py.
#pragma once

#include <attnviz/provenance.h>
#include <attnviz/token.h>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace attnviz {

struct InputOptions {
  std::optional<std::string> text1;
  std::optional<std::string> text2;
  std::optional<std::string> file;
  bool dash_is_text = false;  // "-" behind "--" is a text like any other
};

// TEXT, TEXT2 and --file.
void add_input_options(CLI::App& app, InputOptions& options);

// Whether the text itself is "-": attnviz -- -
bool spells_dash_as_text(const CommandLine& typed);

// Throws Error(kUsage) if there is no text, or two sources of it. Called before any work is done.
void check_input_options(const InputOptions& options);

// A file's text is its content without a byte order mark and the last line break, as in a shell's command substitution.
// Throws Error(kInput): a file that cannot be read or is too large, or bytes that are not UTF-8 (with their place).
TextInput read_input(const InputOptions& options);

}  // namespace attnviz
