// Scales: ends, clipping counts, positions and ticks, also for maps that are all zero, all alike, or not finite.
#include "figure/scale.h"

#include <attnviz/error.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

Figure signed_figure(std::vector<float> values) {
  Figure figure = figure_of(std::move(values));
  figure.value = {.name = "change", .is_signed = true};
  return figure;
}

TEST(SignedScale, IsSymmetricAboutZeroWhicheverSideReachesFurther) {
  const ColourScale scale = make_scale(signed_figure({-0.4F, 0.1F, NAN, 0}), {});
  EXPECT_FLOAT_EQ(static_cast<float>(scale.high), 0.4F);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.minimum), -0.4F);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.maximum), 0.1F);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.position(-0.4, 0)), -1);
  EXPECT_FLOAT_EQ(static_cast<float>(scale.position(0.1, 0)), 0.25F);
  EXPECT_EQ(scale.position(0, 0), 0);
  EXPECT_EQ(scale.position(NAN, 0), 0);
  EXPECT_EQ(scale.position_on_bar(0), -1);
  EXPECT_EQ(scale.position_on_bar(0.5), 0);
  EXPECT_THAT(tick_texts(scale), testing::ElementsAre("−0.4", "−0.2", "0", "0.2", "0.4"));
  EXPECT_DOUBLE_EQ(scale_ticks(scale)[2].position, 0.5);
}

TEST(SignedScale, EveryKindIsThatOfTheMagnitudes) {
  const std::vector<float> values{-0.4F, 0.1F, -0.001F, 0.02F};
  const ColourScale clipped = make_scale(signed_figure(values), {.vmax = 0.2F});
  EXPECT_EQ(clipped.position(-0.4, 0), -1);
  EXPECT_DOUBLE_EQ(clipped.share_above, 0.25);
  const ColourScale row = make_scale(signed_figure(values), {.scale = Scale::kRow});
  EXPECT_DOUBLE_EQ(row.position(-0.1, 0.4), -0.25);
  const ColourScale log = make_scale(signed_figure(values), {.scale = Scale::kLog});
  EXPECT_FLOAT_EQ(static_cast<float>(log.low), 0.001F);
  EXPECT_DOUBLE_EQ(log.position(-0.02, 0), -log.position(0.02, 0));
  EXPECT_THAT(tick_texts(log), testing::ElementsAre("−0.1", "−0.01", "0", "0.01", "0.1"));
  std::vector<float> many(100, -0.01F);
  many[3] = 0.9F;
  EXPECT_FLOAT_EQ(static_cast<float>(make_scale(signed_figure(many), {.scale = Scale::kRobust}).high), 0.01F);
}

TEST(SignedScale, TicksAreSymmetricAndFewForAnyEnd) {
  for (const float end : {1e-6F, 0.003F, 0.1F, 0.37F, 1.0F, 7.3F, 999.0F}) {
    for (const Scale kind : {Scale::kLinear, Scale::kRow, Scale::kLog, Scale::kOwn, Scale::kRobust}) {
      const std::vector<Tick> ticks = scale_ticks(make_scale(signed_figure({end, -end / 3, end / 1000}), {.scale = kind}));
      ASSERT_TRUE(ticks.size() >= 3 && ticks.size() <= 7 && ticks.size() % 2 == 1) << end;
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        EXPECT_NEAR(ticks[i].position, 1 - ticks[ticks.size() - 1 - i].position, 1e-9);
      }
    }
  }
}

TEST(SignedScale, NegativeValuesOfAnUnsignedFigureAreNothing) {
  const ColourScale scale = make_scale(figure_of({-0.4F, 0.1F}), {});
  EXPECT_FLOAT_EQ(static_cast<float>(scale.high), 0.1F);
  EXPECT_EQ(scale.position(-0.4, 0), 0);
}

TEST(OwnMaxima, LeaveOutTheSinkAndWhatIsNotFinite) {
  const Panel panel{.n_rows = 2, .n_columns = 3, .values = {0.9F, -0.5F, 0.2F, 0.8F, NAN, 0.1F}};
  const ColourScale rows{.kind = Scale::kRow, .is_signed = true};
  EXPECT_FLOAT_EQ(static_cast<float>(OwnMaxima(panel, rows, 0).of_row(0)), 0.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(OwnMaxima(panel, rows, 0).of_row(1)), 0.1F);
  EXPECT_FLOAT_EQ(static_cast<float>(OwnMaxima(panel, {.kind = Scale::kRow}, 0).of_row(0)), 0.2F);
  EXPECT_FLOAT_EQ(static_cast<float>(OwnMaxima(panel, {.kind = Scale::kOwn}, {}).of_row(1)), 0.9F);
  EXPECT_EQ(OwnMaxima(panel, {.kind = Scale::kLinear}, {}).of_row(0), 0);
}

TEST(FormatCellValue, DropsTheLeadingZeroAndTheSignOfNothing) {
  EXPECT_EQ(format_cell_value(0.677), ".68");
  EXPECT_EQ(format_cell_value(1), "1.0");
  EXPECT_EQ(format_cell_value(-0.04), "−.04");
  EXPECT_EQ(format_cell_value(-0.004), ".00");
  EXPECT_EQ(format_cell_value(-1), "−1.00");
  EXPECT_EQ(format_cell_value(12.34, 1), "12.3");
  EXPECT_EQ(format_cell_value(30.4, 0), "30");
  EXPECT_EQ(format_cell_value(NAN), "–");
  EXPECT_EQ(format_weight(-0.4), "−0.4");
}

}  // namespace
}  // namespace attnviz
