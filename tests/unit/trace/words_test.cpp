// Merged words keep the row sums and the user's spelling, before and after special tokens are hidden.
#include "trace/words.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "trace/special.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

TEST(MergeWords, SumsKeysAndAveragesQueries) {
  const Trace merged = merge_words(small_trace());
  EXPECT_EQ(token_texts(merged.queries), (std::vector<std::string>{"[CLS]", "unhappy", "cat", "[SEP]"}));
  ASSERT_EQ(merged.maps.size(), 1u);
  EXPECT_EQ(merged.maps[0].n_query, 4u);
  EXPECT_EQ(merged.maps[0].n_key, 4u);
  EXPECT_EQ(merged.maps[0].pattern, (std::vector<float>{0.5f, 0.25f, 0.125f, 0.125f,       //
                                                        0.125f, 0.375f, 0.4375f, 0.0625f,  //
                                                        0.0f, 0.625f, 0.25f, 0.125f,       //
                                                        0.0f, 0.0f, 0.0f, 1.0f}));
  EXPECT_EQ(merged.notes, std::vector<std::string>{"pieces merged into words"});
}

TEST(MergeWords, MakesOneTokenOfTheUsersBytes) {
  const Token word = merge_words(small_trace()).keys[1];
  EXPECT_EQ(word.id, 7);
  EXPECT_EQ(word.kind, TokenKind::kWord);
  EXPECT_EQ(word.begin, 0u);
  EXPECT_EQ(word.end, 7u);
  Trace spelled = small_trace();
  spelled.texts = {"Ünhaßy cat"};  // what the pieces spell need not be what the user wrote
  EXPECT_EQ(merge_words(spelled).keys[1].text, spelled.texts[0].substr(0, 7));
}

TEST(MergeWords, KeepsSpecialNeighboursAndSegmentsApart) {
  Trace trace = small_trace();
  trace.queries = {make_token("[MASK]", TokenKind::kSpecial, -1), make_token("[MASK]", TokenKind::kSpecial, -1),
                   make_token("a", TokenKind::kWord, 0, 0, 1), make_token("a", TokenKind::kWord, 0, 0, 1),
                   make_token("?", TokenKind::kUnknown, 1, 2, 3)};
  trace.queries[3].segment = 1;
  trace.keys = trace.queries;
  const Trace merged = merge_words(trace);
  EXPECT_EQ(merged.queries.size(), 5u);
  EXPECT_EQ(merged.queries[4].kind, TokenKind::kUnknown);
  EXPECT_EQ(merged.maps[0].pattern, trace.maps[0].pattern);
}

TEST(MergeWords, SurvivesOffsetsOutsideTheText) {
  Trace trace = small_trace();
  trace.texts = {"un"};
  EXPECT_EQ(merge_words(trace).keys[1].text, "unhappy");
}

TEST(MergeWords, TakesQueriesAndKeysOfDifferentLength) {
  Trace trace = small_trace();
  trace.queries = {make_token("x", TokenKind::kWord, 0), make_token("y", TokenKind::kWord, 1)};
  trace.maps = {make_map(0, 0, {{0.25f, 0.25f, 0.25f, 0.25f, 0}, {0, 0, 0, 0, 1}})};
  const Trace merged = merge_words(trace);
  EXPECT_EQ(merged.maps[0].n_query, 2u);
  EXPECT_EQ(merged.maps[0].pattern, (std::vector<float>{0.25f, 0.5f, 0.25f, 0, 0, 0, 0, 1}));
}

TEST(MergeWords, LeavesARowWithNothingToAttendToOutOfTheAverage) {
  Trace trace = small_trace();
  for (std::size_t key = 0; key < 5; ++key) trace.maps[0].pattern[5 + key] = 0;
  EXPECT_EQ(merge_words(trace).maps[0].at(1, 2), 0.75f);
}

TEST(MergeWords, KeepsEveryRowSumOfLargeMaps) {
  std::mt19937 random(3);
  const std::size_t n = 512;
  Trace trace = small_trace();
  trace.queries.clear();
  std::int32_t word = 0;
  for (std::size_t i = 0; i < n; ++i) {
    word += random() % 4 == 0 ? 1 : 0;
    trace.queries.push_back(make_token("p", TokenKind::kContinuation, word));
  }
  trace.keys = trace.queries;
  AttentionMap map{Site::kSelf, 0, 0, n, n, WeightArray(n * n, 0.0F)};
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (std::size_t key = 0; key < n; ++key) sum += map.pattern[row * n + key] = static_cast<float>(random() % 1000);
    for (std::size_t key = 0; key < n; ++key) map.pattern[row * n + key] = static_cast<float>(map.pattern[row * n + key] / sum);
  }
  trace.maps = {map};
  const Trace merged = merge_words(trace);
  const AttentionMap& small = merged.maps[0];
  ASSERT_LT(small.n_query, n / 2);
  for (std::size_t row = 0; row < small.n_query; ++row) {
    const auto first = small.pattern.begin() + static_cast<std::ptrdiff_t>(row * small.n_key);
    EXPECT_NEAR(std::accumulate(first, first + static_cast<std::ptrdiff_t>(small.n_key), 0.0), 1.0, 1e-6);
  }
}

TEST(Views, CanFollowEachOther) {
  const Trace both = hide_special(merge_words(small_trace()));
  EXPECT_EQ(token_texts(both.keys), (std::vector<std::string>{"unhappy", "cat"}));
  EXPECT_EQ(both.notes, (std::vector<std::string>{"pieces merged into words", "special tokens hidden"}));
  EXPECT_EQ(both.maps[0].pattern, merge_words(hide_special(small_trace())).maps[0].pattern);
}

}  // namespace
}  // namespace attnviz
