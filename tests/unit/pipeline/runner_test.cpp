// Texts to traces on the default model: what is kept, cut, refused, and that a batch changes nothing.
#include "pipeline/runner.h"

#include <attnviz/error.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Runner : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Missing weights are a fault of the machine, not a reason to pass: make model gets them.
    loaded_ =
        std::make_unique<LoadedModel>(open_model({"minilm-l6", std::filesystem::path(ATTNVIZ_DATA_DIR) / "models" / "minilm-l6"}));
  }
  static void TearDownTestSuite() { loaded_.reset(); }

  static std::string message_of(const TextInput& input, const RunnerOptions& options = {}) {
    try {
      encode_text(*loaded_, input, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "no error";
  }

  static std::string words(std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "word ";
    return text;
  }

  static std::unique_ptr<LoadedModel> loaded_;
};

std::unique_ptr<LoadedModel> Runner::loaded_;

TEST_F(Runner, KeepsTheWantedMapsInOrder) {
  ThreadPool pool(2);
  const EncodedText text = encode_text(*loaded_, {"The cat sat.", std::nullopt}, {});
  const auto traces = run_texts(pool, *loaded_, {&text, 1}, {{1, 4}, {0, 11}});
  ASSERT_EQ(traces.size(), 1U);
  std::vector<std::size_t> places;
  for (const AttentionMap& map : traces[0].maps) places.push_back(map.layer * 100 + map.head);
  EXPECT_THAT(places, ElementsAre(100, 111, 400, 411));
  EXPECT_EQ(traces[0].maps[0].n_query, text.tokens.size());
  for (const AttentionMap& map : traces[0].maps) {
    for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
      double sum = 0;
      for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) sum += static_cast<double>(map.at(query_pos, key_pos));
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST_F(Runner, ABatchGivesTheBitsOfSingleRuns) {
  ThreadPool pool(2);
  std::vector<EncodedText> texts;
  for (const char* text : {"One.", "A second, longer sentence with more words in it.", "Third"}) {
    texts.push_back(encode_text(*loaded_, {text, std::nullopt}, {}));
  }
  texts.push_back(encode_text(*loaded_, {"A pair", "of texts"}, {}));
  const Request request{{0, 5}, {3}};
  const auto together = run_texts(pool, *loaded_, texts, request);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto alone = run_texts(pool, *loaded_, {&texts[i], 1}, request);
    for (std::size_t m = 0; m < alone[0].maps.size(); ++m) EXPECT_EQ(alone[0].maps[m].pattern, together[i].maps[m].pattern);
  }
  EXPECT_THAT(together[3].texts, ElementsAre("A pair", "of texts"));
}

TEST_F(Runner, RefusesATextPastTheLimitWithBothNumbers) {
  EXPECT_THAT(message_of({words(511), std::nullopt}),
              AllOf(HasSubstr("513 tokens"), HasSubstr("at most 512"), HasSubstr("cut it with truncation")));
  EXPECT_EQ(message_of({words(510), std::nullopt}), "no error");
}

TEST_F(Runner, CutsOnRequestAndSaysSo) {
  RunnerOptions options;
  options.truncate = true;
  const EncodedText text = encode_text(*loaded_, {words(600), std::nullopt}, options);
  EXPECT_EQ(text.tokens.size(), 512U);
  EXPECT_EQ(text.n_cut, 90U);
  ThreadPool pool(2);
  const auto traces = run_texts(pool, *loaded_, {&text, 1}, {{0}, {0}});
  EXPECT_THAT(traces[0].notes, ElementsAre("last 90 tokens cut off"));
}

TEST_F(Runner, LeavesRoomInACutTextForWhatIsToFollow) {
  RunnerOptions options;
  options.truncate = true;
  options.room = 100;
  EXPECT_EQ(encode_text(*loaded_, {words(600), std::nullopt}, options).tokens.size(), 412U);
  EXPECT_EQ(encode_text(*loaded_, {words(410), std::nullopt}, options).n_cut, 0U);
  EXPECT_EQ(encode_text(*loaded_, {words(411), std::nullopt}, options).n_cut, 1U);
  options.room = 512;  // none for the text: who generates says so
  EXPECT_EQ(encode_text(*loaded_, {words(600), std::nullopt}, options).tokens.size(), 512U);
}

TEST_F(Runner, RefusesEmptyTexts) {
  EXPECT_THAT(message_of({"", std::nullopt}), HasSubstr("text: is empty"));
  EXPECT_THAT(message_of({" \t\n", std::nullopt}), HasSubstr("text: is empty"));
  EXPECT_THAT(message_of({"a", ""}), HasSubstr("second text: is empty"));
}

TEST_F(Runner, RefusesInvalidUtf8) { EXPECT_THAT(message_of({"ok \xff", std::nullopt}), HasSubstr("3")); }

}  // namespace
}  // namespace attnviz
