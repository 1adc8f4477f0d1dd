// Maps combined: the numbers, what is said of them, and what cannot be.
#include "trace/reduce.h"

#include <attnviz/error.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using testing::ElementsAre;
using testing::Pair;

// Two layers x two heads of 2 x 2.
Trace four_maps() {
  Trace trace = small_trace();
  trace.queries.resize(2);
  trace.keys.resize(2);
  trace.maps = {make_map(1, 0, {{0.5F, 0.5F}, {1, 0}}), make_map(1, 3, {{0.25F, 0.75F}, {0.5F, 0.5F}}),
                make_map(4, 0, {{0, 1}, {0.75F, 0.25F}}), make_map(4, 3, {{1, 0}, {0.125F, 0.875F}})};
  trace.notes = {"before"};
  return trace;
}

std::vector<std::pair<std::size_t, std::size_t>> names_of(const Trace& trace) {
  std::vector<std::pair<std::size_t, std::size_t>> names;
  for (const AttentionMap& map : trace.maps) names.emplace_back(map.layer, map.head);
  return names;
}

TEST(ReduceMaps, MeanOverHeads) {
  const Trace reduced = reduce_maps(four_maps(), ReduceBy::kMean, ReduceOver::kHeads);
  EXPECT_THAT(names_of(reduced), ElementsAre(Pair(1, 0), Pair(4, 0)));
  EXPECT_THAT(reduced.maps[0].pattern, ElementsAre(0.375F, 0.625F, 0.75F, 0.25F));
  EXPECT_THAT(reduced.maps[1].pattern, ElementsAre(0.5F, 0.5F, 0.4375F, 0.5625F));
  EXPECT_EQ(reduced.notes, std::vector<std::string>{"before"}) << "rows of a mean sum to 1: nothing to say";
  ASSERT_TRUE(reduced.reduced);
  EXPECT_TRUE(reduced.reduced->over_heads && !reduced.reduced->over_layers);
  EXPECT_THAT(reduced.reduced->layers, ElementsAre(1, 4));
  EXPECT_THAT(reduced.reduced->heads, ElementsAre(0, 3));
  EXPECT_EQ(layer_text(reduced, reduced.maps[1]), "4");
  EXPECT_EQ(head_text(reduced, reduced.maps[1]), "mean");
  EXPECT_EQ(reduced.queries.size(), 2U);
}

TEST(ReduceMaps, MaximumOverLayersSaysThatRowsNeedNotSumToOne) {
  const Trace reduced = reduce_maps(four_maps(), ReduceBy::kMax, ReduceOver::kLayers);
  EXPECT_THAT(names_of(reduced), ElementsAre(Pair(1, 0), Pair(1, 3)));
  EXPECT_THAT(reduced.maps[0].pattern, ElementsAre(0.5F, 1, 1, 0.25F));
  EXPECT_THAT(reduced.maps[1].pattern, ElementsAre(1, 0.75F, 0.5F, 0.875F));
  EXPECT_THAT(reduced.notes, ElementsAre("before", "rows of a maximum need not sum to 1"));
  EXPECT_EQ(layer_text(reduced, reduced.maps[0]), "max");
}

TEST(ReduceMaps, AllBecomeOne) {
  const Trace reduced = reduce_maps(four_maps(), ReduceBy::kMean, ReduceOver::kAll);
  ASSERT_EQ(reduced.maps.size(), 1U);
  EXPECT_THAT(reduced.maps[0].pattern, ElementsAre(0.4375F, 0.5625F, 0.59375F, 0.40625F));
  Trace one_layer = four_maps();
  one_layer.maps.resize(2);
  EXPECT_FALSE(reduce_maps(one_layer, ReduceBy::kMean, ReduceOver::kAll).reduced->over_layers) << "its number is known";
}

// 1/3 cannot be said in f32, and neither can ten million of them be added in it.
TEST(ReduceMaps, SumsAreDoubles) {
  Trace trace = four_maps();
  trace.maps.clear();
  for (std::size_t head = 0; head < 3000; ++head) trace.maps.push_back(make_map(0, head, {{1.0F / 3, 2.0F / 3}, {0.1F, 0.9F}}));
  EXPECT_EQ(reduce_maps(trace, ReduceBy::kMean, ReduceOver::kAll).maps[0].pattern, trace.maps[0].pattern);
}

TEST(ReduceMaps, ABadWeightStaysBad) {
  for (const ReduceBy by : {ReduceBy::kMean, ReduceBy::kMax}) {
    Trace trace = four_maps();
    trace.maps[1].pattern[2] = std::numeric_limits<float>::quiet_NaN();
    const Trace reduced = reduce_maps(trace, by, ReduceOver::kAll);
    EXPECT_TRUE(std::isnan(reduced.maps[0].pattern[2]));
    EXPECT_FALSE(std::isnan(reduced.maps[0].pattern[3]));
  }
}

TEST(ReduceMaps, RefusesRaggedHeadsAndASecondTime) {
  Trace ragged = four_maps();
  ragged.maps.pop_back();
  EXPECT_THROW(reduce_maps(ragged, ReduceBy::kMean, ReduceOver::kHeads), Error);
  EXPECT_THROW(reduce_maps(reduce_maps(four_maps(), ReduceBy::kMean, ReduceOver::kHeads), ReduceBy::kMax, ReduceOver::kAll), Error);
}

}  // namespace
}  // namespace attnviz
