// Rgb maps: lightness falls evenly, names are found, ink on a cell can be read.
#include "figure/colour_map.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Colour, KnownLightnessAndContrast) {
  EXPECT_NEAR(lightness(rgb(0xffffff)), 100, 1e-3);
  EXPECT_NEAR(lightness(rgb(0x000000)), 0, 1e-9);
  EXPECT_NEAR(lightness(rgb(0x777777)), 50.034, 1e-2);
  EXPECT_NEAR(contrast_ratio(rgb(0xffffff), rgb(0x000000)), 21, 1e-9);
  EXPECT_NEAR(luminance_of_lightness(lightness(rgb(0x336699))), relative_luminance(to_linear(rgb(0x336699))), 1e-9);
}

TEST(Colour, SrgbRoundTrip) {
  for (const std::uint32_t hex : {0x000000U, 0x010203U, 0x7f80ffU, 0xfefdfcU}) EXPECT_EQ(to_srgb(to_linear(rgb(hex))), rgb(hex));
}

// The lightness of a step must not leave the straight line between both ends by more than what rounding to 8 bits explains: one
// unit of a channel is worth up to 0.75 L* in the dark, where green alone moves.
TEST(ColourMap, LightnessFallsEvenly) {
  for (const std::string& name : colour_map_names()) {
    for (const bool dark : {false, true}) {
      const ColourMap map = find_colour_map(name, dark);
      const double first = lightness(map.colours.front());
      const double last = lightness(map.colours.back());
      EXPECT_NEAR(first, dark ? 11 : 98, 0.5) << name;
      EXPECT_NEAR(last, dark ? 96 : 15, 0.5) << name;
      for (std::size_t i = 0; i < map.colours.size(); ++i) {
        const double expected = first + (last - first) * static_cast<double>(i) / 255;
        EXPECT_NEAR(lightness(map.colours[i]), expected, 0.75) << name << " " << i << " dark " << dark;
        if (i > 3) {
          EXPECT_LT((dark ? -1 : 1) * (lightness(map.colours[i]) - lightness(map.colours[i - 4])), 0) << name << " " << i;
        }
      }
    }
  }
}

// How readers without one kind of cone see a colour: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A physiologically-based
// model for simulation of color vision deficiency", 2009, severity 1, on linear light.
struct Vision {
  const char* name;
  std::array<std::array<double, 3>, 3> matrix;
};

constexpr std::array<Vision, 3> kVisions{{
    {"protanopia", {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia", {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia", {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

Rgb seen_with(const Vision& vision, Rgb colour) {
  const LinearRgb light = to_linear(colour);
  const auto row = [&](std::size_t i) {
    return vision.matrix[i][0] * light.red + vision.matrix[i][1] * light.green + vision.matrix[i][2] * light.blue;
  };
  return to_srgb({row(0), row(1), row(2)});
}

// A tenth of the scale is a step in lightness for everybody, and always the same way.
TEST(ColourMap, IsReadInOrderByColourBlindReaders) {
  for (const std::string& name : colour_map_names()) {
    for (const bool dark : {false, true}) {
      const ColourMap map = find_colour_map(name, dark);
      for (const Vision& vision : kVisions) {
        for (std::size_t i = 25; i < map.colours.size(); ++i) {
          const double step = lightness(seen_with(vision, map.colours[i - 25])) - lightness(seen_with(vision, map.colours[i]));
          EXPECT_GT(dark ? -step : step, 3.5) << name << " " << vision.name << " " << i << " dark " << dark;
        }
      }
    }
  }
}

double distance(Rgb a, Rgb b) { return std::hypot(a.r - b.r, a.g - b.g, a.b - b.b); }

TEST(DivergingMap, IsNeutralAtZeroAndAlikeOnBothSides) {
  for (const bool dark : {false, true}) {
    const DivergingMap& map = diverging_map(dark);
    const Rgb zero = map.at(0);
    EXPECT_LE(std::max({zero.r, zero.g, zero.b}) - std::min({zero.r, zero.g, zero.b}), 1);
    EXPECT_EQ(map.at(std::numeric_limits<double>::quiet_NaN()), zero);
    EXPECT_EQ(map.at(-7), map.colours.front());
    EXPECT_EQ(map.at(7), map.colours.back());
    double before = lightness(zero);
    for (std::size_t step = 1; step <= 128; ++step) {
      const Rgb less = map.colours[128 - step];
      const Rgb more = map.colours[128 + step];
      EXPECT_NEAR(lightness(less), lightness(more), 0.8) << step;
      const double wanted = lightness(zero) + (lightness(map.colours.back()) - lightness(zero)) * static_cast<double>(step) / 128;
      EXPECT_NEAR(lightness(more), wanted, 0.9) << step;
      EXPECT_LT((dark ? -1 : 1) * (lightness(more) - before), 0.5) << step;
      before = lightness(more);
    }
    EXPECT_GT(map.colours.front().b, map.colours.front().r) << "less is blue";
    EXPECT_GT(map.colours.back().r, map.colours.back().b) << "more is red";
    for (const Vision& vision : kVisions) {
      for (const double size : {0.5, 1.0}) {
        EXPECT_GT(distance(seen_with(vision, map.at(-size)), seen_with(vision, map.at(size))), 50) << vision.name << " " << size;
      }
    }
  }
}

TEST(ColourMap, ClampsItsPosition) {
  const ColourMap map = find_colour_map("blues", false);
  EXPECT_EQ(map.at(-1), map.colours.front());
  EXPECT_EQ(map.at(std::numeric_limits<double>::quiet_NaN()), map.colours.front());
  EXPECT_EQ(map.at(7), map.colours.back());
  EXPECT_EQ(map.at(0.5), map.colours[128]);
}

TEST(ColourMap, NumbersInCellsCanBeRead) {
  for (const std::string& name : colour_map_names()) {
    for (const Rgb& cell : find_colour_map(name, false).colours) {
      const Rgb ink = more_readable(cell, rgb(0xffffff), rgb(0x1a1a1a));
      EXPECT_GE(contrast_ratio(cell, ink), 4.0) << name;
    }
  }
}

TEST(ColourMap, UnknownNameListsTheKnownOnes) {
  try {
    find_colour_map("bleus", false);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"blues\""));
    EXPECT_THAT(error.what(), testing::HasSubstr("oranges"));
  }
}

}  // namespace
}  // namespace attnviz
