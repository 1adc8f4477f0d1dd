// Terminal text: widths, cutting, and that nothing reaches the terminal raw.
#include "render/terminal/terminal_text.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(TerminalText, KnowsTheWidthOfWhatItDraws) {
  EXPECT_EQ(TerminalText("animal").width(), 6u);
  EXPECT_EQ(TerminalText("東京").width(), 4u);
  EXPECT_EQ(TerminalText("e\u0301").width(), 1u);
  EXPECT_EQ(TerminalText("e\u0301").glyphs().size(), 1u);
  EXPECT_EQ(TerminalText("").width(), 0u);
  EXPECT_EQ(TerminalText("ᄒ\u1161\u11AB").width(), 2u);  // a Korean syllable in three letters
}

TEST(TerminalText, LeavesOutWhatTerminalsDisagreeOn) {
  EXPECT_EQ(TerminalText("👨\u200D👩").bytes(), "👨👩");
  EXPECT_EQ(TerminalText("❤\uFE0F").bytes(), "❤");
  EXPECT_EQ(TerminalText("👍🏽").bytes(), "👍");
  EXPECT_EQ(TerminalText("🏽").width(), 2u);  // alone it is a picture of its own
}

TEST(TerminalText, LimitsMarksOnOneLetter) {
  std::string tower = "a";
  for (int i = 0; i < 50; ++i) tower += "\u0301";
  EXPECT_EQ(TerminalText(tower).bytes(), "a\u0301\u0301\u0301\u0301");
  EXPECT_EQ(TerminalText("\u0301").bytes(), "◌\u0301");
}

TEST(TerminalText, SpellsOutControlsAlsoInProse) {
  EXPECT_EQ(TerminalText("\x1B[2J").bytes(), "<U+001B>[2J");
  EXPECT_EQ(TerminalText::prose("a \x1B[2J  b\n").bytes(), "a <U+001B>[2J  b↵");
  EXPECT_EQ(TerminalText::prose(" a ").bytes(), " a ");
  EXPECT_EQ(TerminalText("a b").bytes(), "a␣b");
}

TEST(TerminalText, CutsBetweenCharacters) {
  EXPECT_EQ(TerminalText("animal").elided(6).bytes(), "animal");
  EXPECT_EQ(TerminalText("animal").elided(5).bytes(), "anim…");
  EXPECT_EQ(TerminalText("東京都").elided(5).bytes(), "東京…");
  EXPECT_EQ(TerminalText("東京都").elided(4).bytes(), "東…");
  EXPECT_EQ(TerminalText("animal").elided(1).bytes(), "…");
  EXPECT_EQ(TerminalText("animal").elided(0).bytes(), "");
}

TEST(TerminalText, Aligns) {
  EXPECT_EQ(right_aligned(TerminalText("京"), 4), "  京");
  EXPECT_EQ(left_aligned(TerminalText("京"), 4), "京  ");
  EXPECT_EQ(right_aligned(TerminalText("long"), 2), "long");
}

}  // namespace
}  // namespace attnviz
