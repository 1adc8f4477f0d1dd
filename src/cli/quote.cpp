// See quote.h. POSIX shell rules: a word of safe characters stands as it is; one without " $ ` \ ! goes into double quotes, as
// people type sentences with apostrophes; everything else into single quotes.
#include "cli/quote.h"

#include <algorithm>

namespace attnviz {
namespace {

bool is_safe(char c) {
  const std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+";
  return safe.find(c) != std::string_view::npos;
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

std::string quoted_command(std::span<const std::string> arguments) {
  std::string command = "attnviz";
  for (const std::string& argument : arguments) command += ' ' + shell_quote(argument);
  return command;
}

}  // namespace attnviz
