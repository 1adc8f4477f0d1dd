// Texts of an exact number of tokens, for attnviz bench. Tested in tests/unit/cli/bench_text_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Plain English sentences of common words, which every tokenizer knows.
std::string_view bench_sentences();

class BenchTexts {
 public:
  // Takes words from `source`, where white space separates them, and starts again from the beginning when they run out. Throws
  // Error(kInput) for a source without words.
  BenchTexts(const Tokenizer& tokenizer, std::string_view source);

  // A text of `n_token` tokens, special ones included; texts of different `start` begin with different words. Throws Error(kUsage)
  // if there is none: `n_token` is less than the model's special tokens and one word, or no words of the source fit.
  std::string make(std::size_t n_token, std::size_t start) const;

 private:
  std::size_t count(const std::string& text) const;
  std::string join(std::size_t start, std::size_t n_word) const;
  std::string fill(std::string text, std::size_t n_token) const;

  const Tokenizer& tokenizer_;
  std::vector<std::string> words_;
};

}  // namespace attnviz
