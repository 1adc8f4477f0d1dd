// SGR sequences and the 256-colour palette.
#include "render/terminal/terminal_colour.h"

#include <set>

#include <gtest/gtest.h>

#include "figure/colour_map.h"

namespace attnviz {
namespace {

TEST(NearestOf256, FindsColoursOfThePalette) {
  EXPECT_EQ(nearest_of_256(rgb(0xFFFFFF)), 231);
  EXPECT_EQ(nearest_of_256(rgb(0x000000)), 16);
  EXPECT_EQ(nearest_of_256(rgb(0x808080)), 244);
  EXPECT_EQ(nearest_of_256(rgb(0x005FAF)), 25);
  EXPECT_EQ(nearest_of_256(rgb(0xFF0000)), 196);
}

TEST(Shades, UseTheMapsColoursAndAnInkThatCanBeRead) {
  TerminalOptions options{ColourDepth::k24Bit, 80, {}};
  const Rgb deep = find_colour_map("blues", false).at(1);
  EXPECT_EQ(Shades(options).cell(1),
            "38;2;245;245;245;48;2;" + std::to_string(deep.r) + ";" + std::to_string(deep.g) + ";" + std::to_string(deep.b));
  EXPECT_TRUE(Shades(options).cell(0).starts_with("38;2;16;16;16;48;2;"));
  EXPECT_EQ(Shades(options).cell(7), Shades(options).cell(1));
  options.colour = ColourDepth::kNone;
  EXPECT_EQ(Shades(options).cell(1), "");
}

TEST(Shades, AreTenIn256ColoursAndEveryMapKeepsMostOfThemApart) {
  for (const std::string& name : colour_map_names()) {
    for (const bool dark : {false, true}) {
      TerminalOptions options{ColourDepth::k256, 80, {}};
      options.style.cmap = name;
      options.style.dark = dark;
      const Shades shades(options);
      std::set<std::string> seen;
      for (int i = 0; i <= 1000; ++i) seen.insert(shades.cell(i / 1000.0));
      EXPECT_LE(seen.size(), 10u) << name;
      EXPECT_GE(seen.size(), 7u) << name << dark;
    }
  }
}

TEST(StyledLine, ChangesAttributesOnlyWhereItMustAndResetsThem) {
  StyledLine line(ColourDepth::k24Bit);
  EXPECT_EQ(line.put("a").put("b", "2").put("c", "2").put("d", "48;5;1").put("e").put("  ").end(),
            "a\x1B[2mbc\x1B[0;48;5;1md\x1B[0me\n");
  EXPECT_EQ(line.put("x", "2").end(), "\x1B[2mx\x1B[0m\n");
  EXPECT_EQ(line.end(), "\n");
}

TEST(StyledLine, HasNoEscapesWithoutColours) {
  EXPECT_EQ(StyledLine(ColourDepth::kNone).put("a", "2").put("b ", "48;5;1").end(), "ab\n");
}

}  // namespace
}  // namespace attnviz
