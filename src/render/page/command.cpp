// See command.h.
#include "render/page/command.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace attnviz {
namespace {

// What the page decides: the format, which map, and how it looks.
constexpr std::array<std::string_view, 10> kWithValue{"-f",     "--format", "-o",      "--output", "--layer",
                                                      "--head", "--view",   "--scale", "--cmap",   "--vmax"};
constexpr std::array<std::string_view, 3> kFlags{"--dark", "--values", "--exact"};
constexpr std::size_t kLongestText = 8000;  // bytes that anyone would want in a command
constexpr std::array<std::string_view, 4> kOfModel{"-m", "--model", "--plain", "--no-bos"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "--layer=3", or "-fhtml".
bool is_joined(std::string_view word) {
  return std::any_of(kWithValue.begin(), kWithValue.end(), [&](std::string_view option) {
    if (!option.starts_with("--")) return word.size() > option.size() && word.starts_with(option) && !word.starts_with("--");
    return word.size() > option.size() && word.starts_with(option) && word[option.size()] == '=';
  });
}

// A text that begins with a dash can only stand behind "--".
void add_texts(const std::vector<std::string>& texts, BaseCommand* command) {
  const bool like_options = std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text.starts_with("-"); });
  auto& place = like_options ? command->texts : command->words;
  place.insert(place.end(), texts.begin(), texts.end());
}

// "attnviz batch FILE ...": the model's options, and the text itself.
BaseCommand command_of_line(const Trace& trace, const std::vector<std::string>& words) {
  BaseCommand command{.words = {"attnviz"}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!contains(kOfModel, words[i])) continue;
    command.words.push_back(words[i]);
    if (words[i] != "--plain" && words[i] != "--no-bos" && i + 1 < words.size()) command.words.push_back(words[++i]);
  }
  add_texts(trace.texts, &command);
  return command;
}

}  // namespace

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 ? c == quote : (c == '"' || c == '\'')) {
      quote = quote == 0 ? c : 0;
    } else if (c == '\\' && quote == 0 && i + 1 < command.size()) {
      words.back() += command[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

BaseCommand base_command(const Trace& trace, const PageOptions& page) {
  const std::vector<std::string> words = split_command(trace.command);
  if (words.size() > 1 && words[1] == "batch") return command_of_line(trace, words);
  BaseCommand command;
  const bool generates = std::find(words.begin(), words.end(), "--generate") != words.end();
  const bool renders = words.size() > 1 && words[1] == "render";
  std::size_t n_byte = 0;
  for (const std::string& text : trace.texts) n_byte += text.size();
  const bool has_texts = !generates && !renders && n_byte <= kLongestText;  // in the trace as they were typed
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      command.texts.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    const bool from_file = word == "--file" && i + 1 < words.size() && words[i + 1] == "-";
    if (has_texts && (word == "-" || from_file)) {
      add_texts(trace.texts, &command);  // what came from standard input
      i += from_file ? 1 : 0;
    } else if (word == "--row" && i + 1 < words.size()) {
      ++i;  // the page's own pair says it, unless the page is of that row alone
      if (!trace.focus.empty()) command.words.insert(command.words.end(), {"--focus", words[i]});
    } else if (contains(kWithValue, word)) {
      ++i;
    } else if ((word == "--words" && page.words) || (word == "--hide-special" && page.hide_special)) {
      continue;
    } else if (!is_joined(word) && !contains(kFlags, word)) {
      command.words.push_back(word);
    }
  }
  return command;
}

}  // namespace attnviz
