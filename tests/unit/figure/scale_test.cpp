// Scales: ends, clipping counts, positions and ticks, also for maps that are all zero, all alike, or not finite.
#include "figure/scale.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace attnviz {
namespace {

Figure figure_of(std::vector<float> values) {
  Figure figure;
  figure.panels.push_back({.n_rows = 1, .n_columns = values.size(), .values = std::move(values)});
  return figure;
}

std::vector<std::string> tick_texts(const ColourScale& scale) {
  std::vector<std::string> texts;
  for (const Tick& tick : scale_ticks(scale)) texts.push_back(tick.text);
  return texts;
}

TEST(Scale, LinearRunsFromZeroToTheMaximumOfAllPanels) {
  Figure figure = figure_of({0.1F, 0.3F});
  figure.panels.push_back({.n_rows = 1, .n_columns = 1, .values = {0.5F}});
  const ColourScale scale = make_scale(figure, {});
  EXPECT_EQ(scale.low, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.high), 0.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.position(0.25, 0)), 0.5F);
  EXPECT_EQ(scale.share_above, 0);
}

TEST(Scale, VmaxClipsAndCounts) {
  const ColourScale scale = make_scale(figure_of({0.1F, 0.2F, 0.3F, 0.4F}), {.vmax = 0.2F});
  EXPECT_DOUBLE_EQ(scale.share_above, 0.5);
  EXPECT_EQ(scale.position(0.4, 0), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.maximum), 0.4F);
}

TEST(Scale, RowUsesEachRowsOwnMaximum) {
  const ColourScale scale = make_scale(figure_of({0.1F, 0.4F}), {.scale = Scale::kRow});
  EXPECT_EQ(scale.position(0.4, 0.4), 1);
  EXPECT_EQ(scale.position(0.1, 0.4), 0.25);
  EXPECT_EQ(scale.position(0, 0), 0);
  EXPECT_THAT(tick_texts(scale), testing::ElementsAre("0", "0.25", "0.50", "0.75", "1.00"));
}

TEST(Scale, RobustEndsAtTheNinetyEighthPercentile) {
  std::vector<float> values(100, 0.01F);
  values[3] = 0.9F;
  values[7] = 0.8F;
  values[9] = 0.02F;
  const ColourScale scale = make_scale(figure_of(values), {.scale = Scale::kRobust});
  EXPECT_FLOAT_EQ(static_cast<float>(scale.high), 0.02F);
  EXPECT_DOUBLE_EQ(scale.share_above, 0.02);
  // So sparse that the percentile is zero: the maximum it is.
  std::vector<float> sparse(100, 0);
  sparse[0] = 0.9F;
  EXPECT_FLOAT_EQ(static_cast<float>(make_scale(figure_of(sparse), {.scale = Scale::kRobust}).high), 0.9F);
}

TEST(Scale, LogStartsAtTheSmallestWeightButNotMoreThanSixDecadesDown) {
  const ColourScale scale = make_scale(figure_of({0, 0.001F, 0.01F, 0.1F}), {.scale = Scale::kLog});
  EXPECT_FLOAT_EQ(static_cast<float>(scale.low), 0.001F);
  EXPECT_NEAR(scale.position(0.01, 0), 0.5, 1e-6);
  EXPECT_EQ(scale.position(0, 0), 0);
  EXPECT_THAT(tick_texts(scale), testing::ElementsAre("0.001", "0.01", "0.1"));
  const ColourScale deep = make_scale(figure_of({1e-30F, 1e-3F, 0.5F, 1.0F}), {.scale = Scale::kLog});
  EXPECT_NEAR(deep.low, 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(deep.share_below, 0.25);
  EXPECT_THAT(tick_texts(deep), testing::ElementsAre("10⁻⁶", "10⁻⁴", "10⁻²", "1"));
}

TEST(Scale, DegenerateMapsStayFinite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const Scale kind : {Scale::kLinear, Scale::kRow, Scale::kLog, Scale::kRobust}) {
    for (const std::vector<float>& values :
         {std::vector<float>{0, 0, 0}, {0.5F, 0.5F}, {kNan, 0.25F, INFINITY}, {}, {1e-38F}, {-0.0F}}) {
      const ColourScale scale = make_scale(figure_of(values), {.scale = kind});
      EXPECT_LT(scale.low, scale.high);
      for (const float value : values) {
        const double position = scale.position(value, scale.maximum);
        EXPECT_GE(position, 0);
        EXPECT_LE(position, 1);
      }
      const std::vector<Tick> ticks = scale_ticks(scale);
      EXPECT_GE(ticks.size(), 2U);
      for (const Tick& tick : ticks) EXPECT_TRUE(tick.position >= -1e-9 && tick.position <= 1 + 1e-9) << tick.text;
    }
  }
}

TEST(Scale, TicksAreFewRoundAndOrdered) {
  EXPECT_THAT(tick_texts({.high = 0.677}), testing::ElementsAre("0", "0.2", "0.4", "0.6"));
  EXPECT_THAT(tick_texts({.high = 1}), testing::ElementsAre("0", "0.25", "0.50", "0.75", "1.00"));
  EXPECT_THAT(tick_texts({.high = 0.013}), testing::ElementsAre("0", "0.0025", "0.0050", "0.0075", "0.0100", "0.0125"));
  for (double high = 1e-5; high < 2; high *= 1.07) {
    for (const Scale kind : {Scale::kLinear, Scale::kLog}) {
      const std::vector<Tick> ticks = scale_ticks({.kind = kind, .low = kind == Scale::kLog ? high / 300 : 0, .high = high});
      EXPECT_TRUE(ticks.size() >= 2 && ticks.size() <= 7) << high << " " << ticks.size();
      for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i].position, ticks[i - 1].position + 0.03) << high;
    }
  }
}

TEST(Scale, RefusesAVmaxThatMeansNothing) {
  for (const float vmax : {0.0F, -1.0F, INFINITY, NAN}) EXPECT_THROW(make_scale(figure_of({0.5F}), {.vmax = vmax}), Error) << vmax;
  EXPECT_THROW(make_scale(figure_of({0.5F}), {.scale = Scale::kRow, .vmax = 1.0F}), Error);
}

TEST(Scale, CellValues) {
  EXPECT_EQ(format_cell_value(0.676), ".68");
  EXPECT_EQ(format_cell_value(0.001), ".00");
  EXPECT_EQ(format_cell_value(0.999), "1.0");
  EXPECT_EQ(format_weight(0.676848), "0.677");
}

}  // namespace
}  // namespace attnviz
