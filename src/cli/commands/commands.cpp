// See commands.h: the table of commands, parsing, and the one place where errors become messages and exit codes.
#include "cli/commands/commands.h"

#include <attnviz/error.h>

#include <array>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "cli/options/setting_options.h"
#include "cli/output.h"
#include "cli/provenance.h"

namespace attnviz {
namespace {

constexpr std::string_view kVersion = ATTNVIZ_VERSION;

constexpr auto kCommands = std::to_array<Command>({
    {"show", "draw layers and heads of a text (the default command)", declare_show},
    {"batch", "one picture per line and head of a file", declare_batch},
    {"render", "draw existing maps from any tool: JSON, .npy or .npz", declare_render},
    {"bench", "measure how fast a model runs", declare_bench},
    {"tokens", "show how a model's tokenizer splits a text", declare_tokens},
    {"info", "describe a model: family, layers, heads, sizes", declare_info},
    {"models", "list the models known by name", declare_models},
    {"pull", "download a model from the hub (the only command that uses the network)", declare_pull},
});

const Command* find_command(const std::string& name) {
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

std::string footer() {
  std::string text = "\nCommands (see attnviz COMMAND --help):\n";
  for (const Command& command : kCommands) text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  text += R"(
Examples:
  attnviz "The animal didn't cross the street because it was too tired." --layer 3 --head 1
  attnviz "The cat sat." --layer 0-2,5 --head all -o grid.png
  attnviz "The cat sat." -o page.html
  attnviz "The cat sat." --layer 3 --head 1 | python3 -m json.tool
  attnviz render maps.npz --layer 3 --head 1 -o map.png

Without -o and -f: the terminal view on a terminal, JSON into a pipe. Layers and heads count from 0.
Exit codes: 0 done, 1 bad input, model or output, 2 bad command line, 3 a bug.)";
  return text;
}

// CLI11 reports through exceptions: help and version are not errors.
int report_parse_end(const CLI::App& app, const CLI::ParseError& end) {
  if (end.get_exit_code() == 0) {
    const auto* version = dynamic_cast<const CLI::CallForVersion*>(&end);
    write_descriptor(STDOUT_FILENO, version != nullptr ? fmt::format("attnviz {}\n", kVersion) : app.help());
    return 0;
  }
  print_note(fmt::format("command line: {}; try attnviz --help", end.what()));
  return exit_code(ErrorKind::kUsage);
}

int run_checked(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto offset = find_invalid_utf8(arguments[i])) {
      throw Error(ErrorKind::kInput,
                  fmt::format("argument {}: is not valid UTF-8 at byte {}; expected UTF-8 text; check the terminal's encoding",
                              i + 1, *offset));
    }
  }
  const Command* named = arguments.empty() ? nullptr : find_command(arguments[0]);
  const Command& command = named != nullptr ? *named : kCommands[0];
  CLI::App app(named != nullptr ? named->summary : "Show where the attention heads of a transformer look.",
               named != nullptr ? fmt::format("attnviz {}", named->name) : "attnviz");
  app.set_version_flag("--version", std::string(kVersion));
  if (named == nullptr) app.footer(footer());
  const CommandRun run = command.declare(app);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  if (named != nullptr) reversed.pop_back();
  if (arguments.empty()) {
    write_descriptor(STDERR_FILENO, app.help());
    return exit_code(ErrorKind::kUsage);
  }
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& end) {
    return report_parse_end(app, end);
  }
  return run({typed_command(app, named != nullptr ? named->name : "", arguments)});
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  try {
    return run_checked(arguments);
  } catch (const Error& error) {
    print_note(message_of(error));
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    print_note("memory: not enough for this request; try fewer layers and heads, or a shorter text");
    return exit_code(ErrorKind::kInput);
  } catch (const std::exception& error) {
    print_note(fmt::format("bug: {}; please report it with the command that triggers it", error.what()));
    return exit_code(ErrorKind::kBug);
  }
}

}  // namespace attnviz
