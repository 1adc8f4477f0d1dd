// The commands, one file each: a command declares its options on an app and returns the function to run.
#pragma once

#include <attnviz/provenance.h>

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attnviz {

struct CommandContext {
  CommandLine typed;  // all words after the program's name
};

// A command's work; returns the exit code.
using CommandRun = std::function<int(const CommandContext&)>;

struct Command {
  const char* name;
  const char* summary;
  CommandRun (*declare)(CLI::App&);  // adds options to the app; returns what to call once they are parsed
};

CommandRun declare_show(CLI::App& app);
CommandRun declare_batch(CLI::App& app);
CommandRun declare_bench(CLI::App& app);
CommandRun declare_render(CLI::App& app);
CommandRun declare_tokens(CLI::App& app);
CommandRun declare_info(CLI::App& app);
CommandRun declare_models(CLI::App& app);
CommandRun declare_pull(CLI::App& app);

// Parses and runs; every error becomes a message on stderr and its exit code.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace attnviz
