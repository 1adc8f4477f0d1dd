// Rgb maps: lightness falls evenly, names are found, ink on a cell can be read.
#include "figure/colour_map.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
