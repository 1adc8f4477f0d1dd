// Which key is a sink: by share and by rows, whatever rows see one key only, or hold what is not a number.
#include "trace/sink.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

std::optional<ColumnShare> largest(const std::vector<float>& map, std::size_t n_columns) {
  const std::span<const float> one(map);
  return largest_column({&one, 1}, n_columns);
}

TEST(Sink, TakesMostOfMostRows) {
  const auto found = largest({0.9F, 0.05F, 0.05F, 0.6F, 0.2F, 0.2F, 0.1F, 0.1F, 0.8F}, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 0U);
  EXPECT_EQ(found->n_rows, 3U);
  EXPECT_EQ(found->n_taken, 2U);
  EXPECT_NEAR(found->share, 1.6 / 3, 1e-6);
  EXPECT_TRUE(found->is_sink());
}

TEST(Sink, NeedsMoreThanHalf) {
  const auto found = largest({0.5F, 0.25F, 0.25F, 0.5F, 0.25F, 0.25F, 0.5F, 0.25F, 0.25F}, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n_taken, 0U);
  EXPECT_FALSE(found->is_sink());
}

// The first row under a causal mask has one key by force; of what is left, two rows say nothing.
TEST(Sink, RowsOfOneKeyDoNotCount) {
  const auto found = largest({1, 0, 0, 0.9F, 0.1F, 0, 0.8F, 0.1F, 0.1F}, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n_rows, 2U);
  EXPECT_FALSE(found->is_sink());
  EXPECT_FALSE(largest({1, 0, 0, 0}, 2)) << "no row counts";
}

TEST(Sink, WhatIsNoNumberIsNothing) {
  const float bad = std::numeric_limits<float>::quiet_NaN();
  const auto found = largest({bad, 0.75F, 0.25F, bad, 0.75F, 0.25F, std::numeric_limits<float>::infinity(), 0.75F, 0.25F}, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 1U);
  EXPECT_NEAR(found->share, 0.75, 1e-6);
}

TEST(Sink, LongRowsAndSeveralMaps) {
  constexpr std::size_t kN = 37;  // not a whole number of lanes
  std::vector<float> map(kN * kN, 0.4F / (kN - 1));
  for (std::size_t row = 0; row < kN; ++row) map[row * kN + 36] = 0.6F;
  const std::span<const float> one(map);
  const std::vector<std::span<const float>> both{one, one};
  const auto found = largest_column(both, kN);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 36U);
  EXPECT_EQ(found->n_rows, 2 * kN);
  EXPECT_NEAR(found->share, 0.6, 1e-6);
}

}  // namespace
}  // namespace attnviz
