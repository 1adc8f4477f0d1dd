// See bench_text.h. As many words as fit, found by bisection; a word can be several tokens, so short ones fill the rest.
#include "cli/bench_text.h"

#include <attnviz/error.h>

#include <array>
#include <sstream>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::string_view kSentences =
    "The river rose in the night and took the small bridge with it. In the morning the people of both sides stood in the rain and "
    "looked at the water. A boy asked his father how long it would take to build a new one. The old man said that the first had "
    "stood for a hundred years, because those who made it had not been in a hurry. They sent a letter to the town, and while they "
    "waited they pulled a rope across and put a boat on it. The school opened late that week, but nobody was sorry. When the "
    "answer came it was short: there was no money before the spring. So they cut the trees themselves, and carried the stones, and "
    "the bridge was done before the snow fell. It was not as straight as the old one, and everybody liked it better.";

// Each is one token in most vocabularies.
constexpr std::array<std::string_view, 10> kFillers = {"the", "a", "it", "and", "in", "of", ".", ",", "x", "1"};

}  // namespace

std::string_view bench_sentences() { return kSentences; }

BenchTexts::BenchTexts(const Tokenizer& tokenizer, std::string_view source) : tokenizer_(tokenizer) {
  std::istringstream stream{std::string(source)};
  for (std::string word; stream >> word;) words_.push_back(std::move(word));
  if (words_.empty()) throw Error(ErrorKind::kInput, "bench: the text has no words; expected at least one");
}

std::size_t BenchTexts::count(const std::string& text) const { return tokenizer_.encode({text, std::nullopt}).size(); }

std::string BenchTexts::join(std::size_t start, std::size_t n_word) const {
  std::string text;
  for (std::size_t i = 0; i < n_word; ++i) {
    if (i > 0) text += ' ';
    text += words_[(start + i) % words_.size()];
  }
  return text;
}

std::string BenchTexts::fill(std::string text, std::size_t n_token) const {
  for (std::size_t n = count(text); n < n_token;) {
    bool grown = false;
    for (const std::string_view filler : kFillers) {
      const std::string longer = text.empty() ? std::string(filler) : fmt::format("{} {}", text, filler);
      const std::size_t n_longer = count(longer);
      if (n_longer <= n || n_longer > n_token) continue;
      text = longer;
      n = n_longer;
      grown = true;
      break;
    }
    if (!grown) return text;
  }
  return text;
}

std::string BenchTexts::make(std::size_t n_token, std::size_t start) const {
  std::size_t low = 0;
  std::size_t high = n_token;  // a word is at least one token
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (count(join(start, middle)) <= n_token) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  std::string text = fill(join(start, low), n_token);
  const std::size_t n_found = text.empty() ? 0 : count(text);
  if (n_found != n_token) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--tokens {}: no text of exactly that many tokens was found (special tokens included); the "
                            "nearest has {}; try another number, or another text with --file",
                            n_token, n_found == 0 ? count("a") : n_found));
  }
  return text;
}

}  // namespace attnviz
