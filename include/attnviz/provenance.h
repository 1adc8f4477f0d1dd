// Where a result comes from: the program and the command line that made it, as typed values. Every output prints the command from
// here (src/base/command_text.h), and nothing parses that text again.
#pragma once

#include <string>
#include <vector>

namespace attnviz {

// One option or argument of a command line, with its words as they were typed.
struct CommandPart {
  std::string option{};              // its long name without dashes, "layer"; empty for an argument, such as the text
  std::string value{};               // "3"; empty for a flag
  std::vector<std::string> words{};  // {"--layer", "3"}, {"--layer=3"}, {"-q"}, {"The cat sat."}
};

struct CommandLine {
  std::string command{};             // "batch"; empty where none was typed
  std::vector<CommandPart> parts{};  // in the order they were typed
  std::vector<std::string> texts{};  // arguments after "--", which may begin with a dash

  bool empty() const { return command.empty() && parts.empty() && texts.empty(); }
};

struct Provenance {
  std::string program = "attnviz";
  std::string version{};    // of the program, "0.1.0"
  CommandLine made_by{};    // the command that made this output, except for options that change no byte of it
  CommandLine redraw_by{};  // draws maps of the same text; lacks the options that choose a map and its look, which a page adds
  std::string source{};     // if the maps were read from a file: the command line that the file records, as text
};

}  // namespace attnviz
