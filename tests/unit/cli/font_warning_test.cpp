// The line about characters that no font has: which, where, what to install.
#include "cli/font_warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(FontWarning, NamesCharactersTokensAndAPackage) {
  EXPECT_EQ(font_warning({}), "");
  EXPECT_EQ(
      font_warning({{{0x732B, "\u732B"}}}),
      "warning: no installed font has U+732B in \"\u732B\"; boxes with its number stand for it; try a package such as fonts-noto");
  RenderNotes many;
  for (char32_t c = 0x4E00; c < 0x4E08; ++c) many.missing.push_back({c, "x"});
  EXPECT_THAT(font_warning(many), testing::HasSubstr("U+4E04 in \"x\" and 3 more; boxes with their numbers"));
}

TEST(FontWarning, EachCharacterOnce) {
  RenderNotes all;
  merge_notes({{{2, "b"}, {5, "e"}}}, &all);
  merge_notes({{{1, "a"}, {5, "other"}, {9, "i"}}}, &all);
  std::string texts;
  for (const MissingGlyph& glyph : all.missing) texts += glyph.text;
  EXPECT_EQ(texts, "abei");
}

}  // namespace
}  // namespace attnviz
