// Texts of an exact number of tokens, for attnviz bench. Tested in tests/unit/cli/bench_text_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Plain English sentences that every tokenizer knows the words of.
std::string_view bench_sentences();

class BenchTexts {
 public:
  // Words are taken from `source` (white space between them), from the beginning again when they run out. Throws Error(kInput) for
  // a source without words.
  BenchTexts(const Tokenizer& tokenizer, std::string_view source);

  // A text of `n_token` tokens, special ones included, that begins with another word for another `start`. Throws Error(kUsage)
  // where there is none: fewer than the model's special tokens and a word, or a vocabulary that no words of the source fit.
  std::string make(std::size_t n_token, std::size_t start) const;

 private:
  std::size_t count(const std::string& text) const;
  std::string join(std::size_t start, std::size_t n_word) const;
  std::string fill(std::string text, std::size_t n_token) const;

  const Tokenizer& tokenizer_;
  std::vector<std::string> words_;
};

}  // namespace attnviz
