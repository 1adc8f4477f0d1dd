// A text that the model goes on with, on SmolLM2: tokens are marked, the text grows with them, limits and pairs are refused, and
// the maps are those of the whole text. Which tokens come: tests/parity/generation_test.cpp.
#include "pipeline/generate.h"

#include <attnviz/error.h>

#include <cmath>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Generate : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Missing weights are a fault of the machine, not a reason to pass: make test-models gets them.
    const auto folder = std::filesystem::path(ATTNVIZ_DATA_DIR) / "models" / "smollm2-135m";
    loaded_ = std::make_unique<LoadedModel>(open_model({"smollm2-135m", folder / "SmolLM2-135M-Instruct.Q4_1.gguf"}));
  }
  static void TearDownTestSuite() { loaded_.reset(); }

  static std::string message_of(const TextInput& input, std::size_t n_tokens) {
    try {
      generate_text(pool_, *loaded_, encode_text(*loaded_, input, {}), kRequest, {n_tokens, {}});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "no error";
  }

  static inline const Request kRequest{{0, 3}, {1, 8}};
  static inline ThreadPool pool_{2};
  static std::unique_ptr<LoadedModel> loaded_;
};

std::unique_ptr<LoadedModel> Generate::loaded_;

TEST_F(Generate, TokensAreMarkedAndTheTextGrowsWithThem) {
  const EncodedText prompt = encode_text(*loaded_, {"Once upon a time", std::nullopt}, {});
  std::vector<std::size_t> calls;
  const GeneratedText made = generate_text(pool_, *loaded_, prompt, kRequest, {4, {}, [&](std::size_t n) { calls.push_back(n); }});
  ASSERT_EQ(made.text.tokens.size(), prompt.tokens.size() + 4);
  EXPECT_EQ(made.n_prompt, prompt.tokens.size());
  EXPECT_EQ(calls, (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_FALSE(made.ended);
  for (std::size_t i = 0; i < made.text.tokens.size(); ++i) {
    const Token& token = made.text.tokens[i];
    EXPECT_EQ(token.generated, i >= made.n_prompt);
    if (!token.generated) continue;
    EXPECT_EQ(made.text.input.text.substr(token.begin, token.end - token.begin), token.text);
  }
  EXPECT_TRUE(made.text.input.text.starts_with("Once upon a time"));
  EXPECT_GT(made.text.input.text.size(), prompt.input.text.size());
}

TEST_F(Generate, MapsAreThoseOfTheWholeText) {
  const EncodedText prompt = encode_text(*loaded_, {"The cat sat", std::nullopt}, {});
  const GeneratedText made = generate_text(pool_, *loaded_, prompt, kRequest, {5, {}});
  ASSERT_NE(made.rows, nullptr);
  const Trace stitched = trace_generated(pool_, *loaded_, made, kRequest);
  const Trace whole = run_texts(pool_, *loaded_, {&made.text, 1}, kRequest).front();
  ASSERT_EQ(stitched.maps.size(), whole.maps.size());
  for (std::size_t i = 0; i < whole.maps.size(); ++i) {
    ASSERT_EQ(stitched.maps[i].pattern.size(), whole.maps[i].pattern.size());
    for (std::size_t cell = 0; cell < whole.maps[i].pattern.size(); ++cell) {
      EXPECT_NEAR(stitched.maps[i].pattern[cell], whole.maps[i].pattern[cell], 1e-5);
    }
  }
}

TEST_F(Generate, RefusesPairsAndTextsWithoutRoom) {
  EXPECT_THAT(message_of({"a b", "c d"}, 1), HasSubstr("one text"));
  EXPECT_THAT(message_of({"a b", std::nullopt}, 1000000), AllOf(HasSubstr("1000000"), HasSubstr("at most")));
}

TEST_F(Generate, TheNoteSaysHowMany) {
  const EncodedText prompt = encode_text(*loaded_, {"The cat sat", std::nullopt}, {});
  const GeneratedText made = generate_text(pool_, *loaded_, prompt, kRequest, {2, {}});
  EXPECT_THAT(generation_note(made, {}), AllOf(HasSubstr("2 of"), HasSubstr("greedy")));
  EXPECT_THAT(generation_note(made, {.temperature = 0.5, .top_k = 3, .seed = 9}), AllOf(HasSubstr("0.5"), HasSubstr("seed 9")));
}

}  // namespace
}  // namespace attnviz
