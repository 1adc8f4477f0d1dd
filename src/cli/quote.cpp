// See quote.h. POSIX shell rules: a word of safe characters stands as it is; one without " $ ` \ ! goes into double quotes, as
// people type sentences with apostrophes; everything else into single quotes.
#include "cli/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace attnviz {
namespace {

bool is_safe(char c) {
  const std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+";
  return safe.find(c) != std::string_view::npos;
}

// An option joined with its value, or a flag, that changes no byte of a result.
bool is_incidental(std::string_view argument) {
  return argument == "-q" || argument == "--quiet" || argument == "--timings" || argument.starts_with("--output=") ||
         argument.starts_with("--threads=") || (argument.size() > 2 && argument.starts_with("-o"));
}

}  // namespace

std::string shell_quote(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_safe)) return std::string(word);
  if (word.find_first_of("\"$`\\!") == std::string_view::npos) return '"' + std::string(word) + '"';
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string quoted_command(std::span<const std::string> arguments, std::string_view format) {
  std::string command = "attnviz";
  bool has_format = false;
  bool only_texts = false;  // after "--"
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (only_texts) {
      texts.push_back(argument);
    } else if (argument == "--") {
      only_texts = true;
    } else if (argument == "-o" || argument == "--output" || argument == "--threads") {
      ++i;  // the value goes too
    } else if (!is_incidental(argument)) {
      has_format = has_format || argument.starts_with("-f") || argument.starts_with("--format");
      command += ' ' + shell_quote(argument);
    }
  }
  if (!has_format) command += fmt::format(" -f {}", format);
  if (only_texts) command += " --";
  for (const std::string_view text : texts) command += ' ' + shell_quote(text);
  return command;
}

}  // namespace attnviz
