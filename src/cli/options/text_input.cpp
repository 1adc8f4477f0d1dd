// See text_input.h.
#include "cli/options/text_input.h"

#include <attnviz/error.h>

#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;  // more than any model reads, even with --truncate
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool reads_standard_input(const InputOptions& options) {
  if (options.file) return *options.file == "-";
  return options.text1 == "-" && !options.dash_is_text;
}

void check_utf8(const std::string& where, std::string_view text) {
  const auto offset = find_invalid_utf8(text);
  if (!offset) return;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*offset), '\n') + 1;
  throw Error(ErrorKind::kInput,
              fmt::format("{}: is not valid UTF-8 at byte {} (line {}); expected UTF-8 text; convert it first, for "
                          "example with iconv -t UTF-8",
                          where, *offset, line));
}

std::string text_of(const std::string& where, std::string bytes) {
  check_utf8(where, bytes);
  if (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  if (bytes.ends_with('\n')) bytes.pop_back();
  if (bytes.ends_with('\r')) bytes.pop_back();
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorKind::kInput, fmt::format("{}: is empty; expected at least one word", where));
  }
  return bytes;
}

}  // namespace

void add_input_options(CLI::App& app, InputOptions& options) {
  // Two single values, not one list: CLI11 splits a list's value in brackets, and "[MASK]" is a text.
  app.add_option("TEXT", options.text1, "text to run; - reads standard input")->option_text(" ");
  app.add_option("TEXT2", options.text2, "second text of a sentence pair")->option_text(" ");
  app.add_option("--file", options.file, "read the text from a UTF-8 file; - for standard input")->option_text("PATH");
}

bool spells_dash_as_text(const CommandLine& typed) { return !typed.texts.empty() && typed.texts.front() == "-"; }

void check_input_options(const InputOptions& options) {
  if (options.file && options.text1) {
    throw Error(ErrorKind::kUsage, "--file: conflicts with the text on the command line; leave one out");
  }
  if (!options.file && !options.text1) {
    throw Error(ErrorKind::kUsage, "command line: TEXT is required, or --file PATH; try attnviz --help");
  }
  if (options.text2 && reads_standard_input(options)) {
    throw Error(ErrorKind::kUsage, "TEXT2: a pair cannot come from standard input; expected both texts on the command line");
  }
}

TextInput read_input(const InputOptions& options) {
  if (reads_standard_input(options)) {
    return {text_of("standard input", read_descriptor(STDIN_FILENO, kMaxTextBytes)), std::nullopt};
  }
  if (options.file) return {text_of(*options.file, read_text_file(*options.file, kMaxTextBytes, ErrorKind::kInput)), std::nullopt};
  return {*options.text1, options.text2};
}

}  // namespace attnviz
