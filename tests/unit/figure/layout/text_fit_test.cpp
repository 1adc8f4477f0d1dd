// Eliding and wrapping: widths are kept, characters stay whole.
#include "figure/layout/text_fit.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

double one_each(std::string_view text, double, FontWeight) {
  return static_cast<double>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST(ElideMiddle, KeepsShortTextAndBothEndsOfLong) {
  EXPECT_EQ(elide_middle("animal", 6, {}, one_each), "animal");
  EXPECT_EQ(elide_middle("abcdefghij", 6, {}, one_each), "abc…ij");
  EXPECT_EQ(elide_middle("abcdefghij", 1, {}, one_each), "…");
  EXPECT_EQ(elide_middle("", 5, {}, one_each), "");
}

TEST(ElideMiddle, NeverPartsACharacterFromItsMarks) {
  const std::string accents = "a\u0301e\u0301i\u0301o\u0301u\u0301y\u0301";
  EXPECT_EQ(elide_middle(accents, 5, {}, one_each), "a\u0301…y\u0301");
  const std::string family = "\U0001F469\u200D\U0001F467";
  EXPECT_EQ(elide_middle(family + family + family + family, 7, {}, one_each), family + "…" + family);
  for (double width = 1; width < 40; ++width) {
    std::string arabic;
    for (int i = 0; i < 30; ++i) arabic += "\u0628\u0650";
    const std::string cut = elide_middle(arabic, width, {}, one_each);
    EXPECT_FALSE(find_invalid_utf8(cut).has_value());
    EXPECT_LE(one_each(cut, 0, FontWeight::kRegular), width);
  }
}

TEST(ElideMiddle, SurvivesMegabytes) { EXPECT_EQ(elide_middle(std::string(2'000'000, 'x'), 5, {}, one_each), "xx…xx"); }

TEST(WrapText, BreaksAtSpacesAndNeverGetsWider) {
  EXPECT_THAT(wrap_text("one two three", 7, {}, one_each), testing::ElementsAre("one two", "three"));
  EXPECT_THAT(wrap_text("a pneumonoultramicroscopic b", 9, {}, one_each), testing::ElementsAre("a", "pneu…opic", "b"));
  EXPECT_THAT(wrap_text("", 9, {}, one_each), testing::IsEmpty());
  EXPECT_THAT(wrap_text("aa bb cc dd", 2, {}, one_each, 2), testing::ElementsAre("aa", "b…"));
}

}  // namespace
}  // namespace attnviz
