// A choice made of maps that are there must be what a run with that choice keeps: tokens, cells, tiles and notes.
#include "trace/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Trace whole(std::size_t n_query, std::size_t n_key) {
  Trace trace;
  trace.model = {"m", "bert", 1, 1};
  for (std::size_t i = 0; i < n_query; ++i) trace.queries.emplace_back().text = "q" + std::to_string(i);
  for (std::size_t i = 0; i < n_key; ++i) trace.keys.emplace_back().text = "k" + std::to_string(i);
  AttentionMap map{Site::kSelf, 0, 0, n_query, n_key, {}};
  for (std::size_t i = 0; i < n_query * n_key; ++i) map.pattern.push_back(static_cast<float>(i) / 64);
  trace.maps.push_back(map);
  return trace;
}

TEST(TakePart, LeavesAWholeMapAlone) {
  const Trace trace = take_part(whole(4, 4), {});
  EXPECT_EQ(trace.maps[0].pattern, whole(4, 4).maps[0].pattern);
  EXPECT_FALSE(trace.queries[0].position);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST(TakePart, CutsRowsAndColumns) {
  const Trace trace = take_part(whole(4, 4), {.rows = TokenSpan{1, 3}, .columns = TokenSpan{2, 3}});
  EXPECT_EQ(trace.maps[0].n_query, 2U);
  EXPECT_EQ(trace.maps[0].n_key, 1U);
  EXPECT_THAT(trace.maps[0].pattern, ElementsAre(6.0F / 64, 10.0F / 64));
  EXPECT_EQ(trace.queries[0].text, "q1");
  EXPECT_EQ(trace.queries[1].position, 2U);
  EXPECT_EQ(trace.keys[0].text, "k2");
  EXPECT_THAT(trace.notes, ElementsAre("queries @1 to @2 of 4 tokens", "key @2 of 4 tokens"));
}

TEST(TakePart, CountsQueriesAndKeysEachByThemselves) {
  const Trace trace = take_part(whole(2, 4), {.rows = TokenSpan{1, 2}, .columns = TokenSpan{0, 3}, .pool = 2});
  EXPECT_EQ(trace.maps[0].n_query, 1U);
  EXPECT_THAT(trace.maps[0].pattern, ElementsAre(5.0F / 64, 6.0F / 64));
  EXPECT_EQ(trace.pool->rows, 1U);
  EXPECT_EQ(trace.pool->columns, 2U);
  EXPECT_THAT(trace.notes,
              ElementsAre("query @1 of 2 tokens", "keys @0 to @2 of 4 tokens", "pooled: maximum over tiles of 1 × 2 tokens"));
}

TEST(TakePart, PoolsByMaximumAndByMean) {
  EXPECT_THAT(take_part(whole(4, 4), {.pool = 2}).maps[0].pattern, ElementsAre(5.0F / 64, 7.0F / 64, 13.0F / 64, 15.0F / 64));
  const Trace mean = take_part(whole(4, 4), {.pool = 2, .by = PoolBy::kMean});
  EXPECT_THAT(mean.maps[0].pattern, ElementsAre(2.5F / 64, 4.5F / 64, 10.5F / 64, 12.5F / 64));
  EXPECT_EQ(mean.queries[1].n_tokens, 2U);
}

}  // namespace
}  // namespace attnviz
