// See command_text.h.
#include "base/command_text.h"

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

std::vector<std::string> command_words(const std::string& program, const CommandLine& line) {
  std::vector<std::string> words{program};
  if (!line.command.empty()) words.push_back(line.command);
  for (const CommandPart& part : line.parts) words.insert(words.end(), part.words.begin(), part.words.end());
  return words;
}

std::string command_text(const Provenance& provenance) {
  const CommandLine& line = provenance.made_by;
  if (line.empty()) return "";
  std::string text;
  for (const std::string& word : command_words(provenance.program, line)) text += (text.empty() ? "" : " ") + shell_quote(word);
  if (!line.texts.empty()) text += " --";
  for (const std::string& word : line.texts) text += ' ' + shell_quote(word);
  return text;
}

}  // namespace attnviz
