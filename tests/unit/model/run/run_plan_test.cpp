// What a run computes: never more than the request and the taps need, and nothing for a request or batch that is wrong.
#include "model/run/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/run/run_checks.h"
#include "parity/keep_tap.h"
#include "unit/model/expect_error.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

StackSpec grouped_stack() {
  StackSpec config;
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
  return plan_run(grouped_stack(), {&request, nullptr}, taps);
}

TEST(RunPlan, StopsAfterTheLastWantedLayerWithQueriesAndKeysOfWantedHeads) {
  const auto steps = plan({{0, 2}, {1, 4}}, {TapKind::kPattern});
  ASSERT_EQ(steps.size(), 3u);
  const AttentionPlan& first = steps[0].self;
  EXPECT_TRUE(first.request != nullptr && first.values && first.context && first.output && first.scores && steps[0].feed_forward);
  EXPECT_EQ(first.heads.size(), 6u);
  EXPECT_EQ(steps[1].self.request, nullptr);
  const AttentionPlan& last = steps[2].self;
  EXPECT_TRUE(last.request != nullptr && last.scores);
  EXPECT_FALSE(last.values || last.context || last.output || steps[2].feed_forward);
  EXPECT_THAT(last.heads, ElementsAre(1, 4));
  EXPECT_THAT(last.kv_heads, ElementsAre(0, 2));
}

TEST(RunPlan, TapsAskForMoreInTheLastLayer) {
  const AttentionPlan context = plan({{1}, {2, 3}}, {TapKind::kContext}).back().self;
  EXPECT_TRUE(context.values && context.context && !context.output);
  EXPECT_THAT(context.kv_heads, ElementsAre(1));
  const AttentionPlan value = plan({{1}, {2}}, {TapKind::kValue}).back().self;
  EXPECT_TRUE(value.values && !value.context && !value.scores);
  const AttentionPlan pairs = plan({{1}, {2}}, {TapKind::kPairNorm}).back().self;
  EXPECT_TRUE(pairs.values && pairs.scores && !pairs.context);
  for (const TapKind kind : {TapKind::kResidual, TapKind::kAttentionOut, TapKind::kFeedForwardNorm}) {
    const LayerPlan whole = plan({{1}, {2}}, {kind}).back();
    EXPECT_TRUE(whole.self.output && whole.feed_forward);
    EXPECT_EQ(whole.self.heads.size(), 6u);
  }
  EXPECT_FALSE(plan({{1}, {2}}, {TapKind::kQuery}).back().self.scores);
}

TEST(RunPlan, ADecoderStopsInsideItsLastLayer) {
  StackSpec stack = grouped_stack();
  stack.role = StackRole::kDecoder;
  stack.cross = CrossAttentionSpec{stack.attention, 12};
  KeepTap tap{TapKind::kPattern};
  Tap* taps[] = {&tap};
  Request own{{0, 2}, {1}};
  own.site = Site::kDecoder;
  Request cross{{1}, {0}};
  cross.site = Site::kCross;
  const auto both = plan_run(stack, {&own, &cross}, taps);
  ASSERT_EQ(both.size(), 3u);
  EXPECT_TRUE(both[1].cross && both[1].cross->output && both[1].cross->request == &cross && both[1].self.request == nullptr);
  EXPECT_FALSE(both[2].cross || both[2].self.output);
  const auto only_cross = plan_run(stack, {nullptr, &cross}, taps);
  ASSERT_EQ(only_cross.size(), 2u);
  EXPECT_TRUE(only_cross[1].self.output);
  EXPECT_THAT(only_cross[1].cross->heads, ElementsAre(0));
  EXPECT_FALSE(only_cross[1].cross->output || only_cross[1].feed_forward);
}

TEST(RunPlan, AResumedRunBeginsAtItsLayer) {
  KeepTap tap{TapKind::kPattern};
  Tap* taps[] = {&tap};
  const Request request{{3}, {0}};
  const auto steps = plan_run(grouped_stack(), {&request, nullptr}, taps, 2);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps.front().layer, 2u);
  EXPECT_EQ(error_of([&] { plan_run(grouped_stack(), {&request, nullptr}, taps, 4); }).kind, ErrorKind::kBug);
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
  return error_of([&] { check_batch(grouped_stack(), batch); });
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
