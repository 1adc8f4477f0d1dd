// What a run computes: never more than the request and the taps need, and nothing for a request or batch that is wrong.
#include "model/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/keep_tap.h"
#include "unit/model/expect_error.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ModelConfig grouped_config() {
  ModelConfig config;
  config.n_layer = 5;
  config.embedding.n_vocab = 10;
  config.embedding.n_position = 8;
  config.embedding.position_offset = 2;
  config.embedding.n_segment = 1;
  config.attention.n_head = 6;
  config.attention.n_kv_head = 3;
  return config;
}

std::vector<LayerPlan> plan(const Request& request, KeepTap tap) {
  Tap* taps[] = {&tap};
  return plan_run(grouped_config(), request, taps);
}

TEST(RunPlan, StopsAfterTheLastWantedLayerWithQueriesAndKeysOfWantedHeads) {
  const auto steps = plan({{0, 2}, {1, 4}}, {TapKind::kPattern});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_TRUE(steps[0].wanted && steps[0].values && steps[0].context && steps[0].output && steps[0].scores);
  EXPECT_EQ(steps[0].heads.size(), 6u);
  EXPECT_FALSE(steps[1].wanted);
  EXPECT_TRUE(steps[2].wanted && steps[2].scores);
  EXPECT_FALSE(steps[2].values || steps[2].context || steps[2].output);
  EXPECT_THAT(steps[2].heads, ElementsAre(1, 4));
  EXPECT_THAT(steps[2].kv_heads, ElementsAre(0, 2));
}

TEST(RunPlan, TapsAskForMoreInTheLastLayer) {
  const LayerPlan context = plan({{1}, {2, 3}}, {TapKind::kContext}).back();
  EXPECT_TRUE(context.values && context.context && !context.output);
  EXPECT_THAT(context.kv_heads, ElementsAre(1));
  const LayerPlan value = plan({{1}, {2}}, {TapKind::kValue}).back();
  EXPECT_TRUE(value.values && !value.context && !value.scores);
  const LayerPlan residual = plan({{1}, {2}}, {TapKind::kResidual}).back();
  EXPECT_TRUE(residual.output);
  EXPECT_EQ(residual.heads.size(), 6u);
  EXPECT_FALSE(plan({{1}, {2}}, {TapKind::kQuery}).back().scores);
}

TEST(RunPlan, RefusesWhatTheModelHasNot) {
  const SeenError layer = error_of([] { plan({{5}, {0}}, {}); });
  EXPECT_EQ(layer.kind, ErrorKind::kInput);
  EXPECT_THAT(layer.message, AllOf(HasSubstr("layer 5 is out of range"), HasSubstr("0 to 4")));
  EXPECT_THAT(error_of([] { plan({{0}, {6}}, {}); }).message, AllOf(HasSubstr("head 6 is out of range"), HasSubstr("0 to 5")));
  EXPECT_EQ(error_of([] { plan({{}, {0}}, {}); }).kind, ErrorKind::kBug);
  EXPECT_TRUE(error_of([] { plan({{2, 1}, {0}}, {}); }).thrown);
  EXPECT_TRUE(error_of([] { plan({{1}, {0, 0}}, {}); }).thrown);
}

SeenError check(const TokenBatch& batch) {
  return error_of([&] { check_batch(grouped_config(), batch); });
}

TEST(CheckBatch, AcceptsTheLimitsThemselves) {
  EXPECT_FALSE(check({{0, 9, 1, 2, 3, 4}, {0, 0, 0, 0, 0, 0}, {0, 6}}).thrown);
  EXPECT_FALSE(check({}).thrown);
}

TEST(CheckBatch, NamesWhatIsWrong) {
  EXPECT_THAT(check({{1}, {0}, {0, 0, 1}}).message, HasSubstr("text 1: has no tokens"));
  const SeenError long_text = check({{1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 8}});
  EXPECT_EQ(long_text.kind, ErrorKind::kInput);
  EXPECT_THAT(long_text.message, AllOf(HasSubstr("text 2"), HasSubstr("at most 6 tokens"), HasSubstr("found 7")));
  EXPECT_THAT(check({{10}, {0}, {0, 1}}).message, HasSubstr("token id 10 is outside"));
  EXPECT_THAT(check({{-1}, {0}, {0, 1}}).message, HasSubstr("token id -1 is outside"));
  EXPECT_THAT(check({{1}, {1}, {0, 1}}).message, HasSubstr("segment 1"));
  EXPECT_EQ(check({{1}, {0, 0}, {0, 1}}).kind, ErrorKind::kBug);
  EXPECT_EQ(check({{1, 1}, {0, 0}, {0, 2, 1, 2}}).kind, ErrorKind::kBug);
}

}  // namespace
}  // namespace attnviz
