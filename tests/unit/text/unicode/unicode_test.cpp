// unicode.h: one example of each rule, and of each list of exceptions. All code points are compared in tests/parity/tokenizer.
#include "text/unicode/unicode.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

std::u32string text(const CodePoints& points) { return {points.span().begin(), points.span().end()}; }

TEST(Unicode, WhiteSpace) {
  for (const char32_t c : std::u32string_view(U" \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u202f\u205f\u3000")) {
    EXPECT_TRUE(is_white_space(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'a', U'\u200b', U'\u180e', U'\ufeff', U'\0'}) EXPECT_FALSE(is_white_space(c));
}

TEST(Unicode, CleaningDropsControlsAndKeepsLineEnds) {
  for (const char32_t c : {U'\0', U'\x1b', U'\x7f', U'\u0085', U'\u200d', U'\u202e', U'\ue000', U'\ufffd'})
    EXPECT_TRUE(is_cleaned_away(c));
  for (const char32_t c : {U'\t', U'\n', U'\r', U' ', U'a', U'\u0378'}) EXPECT_FALSE(is_cleaned_away(c));
  EXPECT_FALSE(is_cleaned_away(0x8E2)) << "younger than the reference's table";
}

TEST(Unicode, MarksAndPunctuation) {
  EXPECT_TRUE(is_nonspacing_mark(0x301));
  EXPECT_FALSE(is_nonspacing_mark(0x93F)) << "a spacing mark";
  EXPECT_FALSE(is_nonspacing_mark(0x7FD)) << "younger than the reference's table";
  EXPECT_TRUE(is_nonspacing_mark(0x1734)) << "a spacing mark since Unicode 14";
  for (const char32_t c : {U'$', U'+', U'_', U'`', U'~', U'\u2019', U'\u3002'}) EXPECT_TRUE(is_bert_punctuation(c));
  for (const char32_t c : {U'a', U'0', U' ', U'\u20ac', U'\u221e'}) EXPECT_FALSE(is_bert_punctuation(c));
  EXPECT_FALSE(is_bert_punctuation(0x61D)) << "younger than the reference's table";
  EXPECT_TRUE(is_bert_punctuation(0x166D)) << "a symbol since Unicode 12";
}

TEST(Unicode, ChineseBlocksHaveTheReferencesGap) {
  EXPECT_TRUE(is_chinese(0x4E00));
  EXPECT_TRUE(is_chinese(0x20BB7));
  EXPECT_FALSE(is_chinese(0x3042)) << "Hiragana";
  EXPECT_FALSE(is_chinese(0x2B850)) << "left out by the reference";
}

TEST(Unicode, Decomposition) {
  EXPECT_EQ(text(decompose_canonically(U'a')), U"a");
  EXPECT_EQ(text(decompose_canonically(0x1FA7)), U"\u03c9\u0314\u0342\u0345");
  EXPECT_EQ(text(decompose_canonically(0xAC01)), U"\u1100\u1161\u11a8");
  EXPECT_EQ(text(decompose_canonically(0xFB01)), U"\ufb01") << "a compatibility ligature stays";
  EXPECT_EQ(text(decompose_canonically(0x11938)).size(), 1U) << "younger than the reference's table";
  EXPECT_EQ(canonical_combining_class(0x301), 230);
  EXPECT_EQ(canonical_combining_class(0x8D0), 0) << "younger than the reference's table";
}

TEST(Unicode, LowerCaseIsWithoutContext) {
  EXPECT_EQ(text(lower_case(U'A')), U"a");
  EXPECT_EQ(text(lower_case(0x3A3)), U"\u03c3");
  EXPECT_EQ(text(lower_case(0x130)), U"i\u0307");
  EXPECT_EQ(text(lower_case(0x10D50)), U"\U00010D70") << "younger than utf8proc's table";
}

}  // namespace
}  // namespace attnviz
