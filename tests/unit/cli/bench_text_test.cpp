// Texts of exactly so many tokens, whatever a word costs.
#include "cli/bench_text.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

// [CLS], a token for every `piece` letters of a word, [SEP].
class Pieces final : public Tokenizer {
 public:
  explicit Pieces(std::size_t piece) : piece_(piece) {}
  std::vector<Token> encode(const TextInput& input, const EncodeOptions&) const override {
    std::size_t n = 2;
    std::size_t letters = 0;
    for (const char c : input.text + " ") {
      if (c != ' ') {
        ++letters;
        continue;
      }
      n += (letters + piece_ - 1) / piece_;
      letters = 0;
    }
    return std::vector<Token>(n);
  }
  std::vector<Token> truncate(std::vector<Token> tokens, std::size_t) const override { return tokens; }
  std::vector<Token> decode_after(std::string*, std::span<const Token>, std::span<const std::int32_t>) const override { return {}; }
  std::size_t n_vocab() const override { return 1; }
  std::string_view token_text(std::int32_t) const override { return ""; }

 private:
  std::size_t piece_;
};

TEST(BenchTexts, HaveExactlyThatManyTokens) {
  for (const std::size_t piece : {1, 2, 4, 100}) {
    const Pieces tokenizer(piece);
    const BenchTexts texts(tokenizer, bench_sentences());
    for (const std::size_t n : {3, 4, 5, 16, 17, 512, 3000}) {
      for (const std::size_t start : {0, 1, 77}) EXPECT_EQ(tokenizer.encode({texts.make(n, start), {}}, {}).size(), n) << piece;
    }
  }
}

TEST(BenchTexts, BeginDifferentlyAndTakeTheGivenWords) {
  const Pieces tokenizer(100);
  const BenchTexts texts(tokenizer, "one two\nthree");
  EXPECT_EQ(texts.make(6, 0), "one two three one");
  EXPECT_EQ(texts.make(4, 1), "two three");
}

TEST(BenchTexts, SayWhatCannotBe) {
  const Pieces tokenizer(1);
  EXPECT_THROW(BenchTexts(tokenizer, " \n"), Error);
  try {
    BenchTexts(tokenizer, "word").make(2, 0);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the nearest has 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace attnviz
