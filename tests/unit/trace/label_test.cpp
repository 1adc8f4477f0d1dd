// Labels: what a reader cannot see becomes visible, what shapes its neighbours stays.
#include "trace/label.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

TEST(Label, KeepsOrdinaryTextOfAnyScript) {
  for (const char* text : {"animal", "don't", "a<b>&c", "naïve", "日本語", "שלום", "हिन्दी", "مرحبا", "🙂"})
    EXPECT_EQ(visible_text(text), text);
  EXPECT_EQ(visible_text(""), "");
}

TEST(Label, ShowsWhiteSpace) {
  EXPECT_EQ(visible_text("a b"), "a␣b");
  EXPECT_EQ(visible_text("\n\t"), "↵⇥");
  EXPECT_EQ(visible_text("\r"), "<U+000D>");
  EXPECT_EQ(visible_text("1\u00A0000"), "1<U+00A0>000");
  EXPECT_EQ(visible_text("\u3000"), "<U+3000>");
}

TEST(Label, NamesControlsAndBidiMarksWhereverTheyStand) {
  EXPECT_EQ(visible_text("\x1B[31m"), "<U+001B>[31m");
  EXPECT_EQ(visible_text("\u009B"), "<U+009B>");
  EXPECT_EQ(visible_text("a\u202Eb"), "a<U+202E>b");
  EXPECT_EQ(visible_text("ש\u2066ל"), "ש<U+2066>ל");
  EXPECT_EQ(visible_text("ש\u200Fל"), "ש<U+200F>ל");
  EXPECT_EQ(visible_text("\u200B"), "<U+200B>");
  EXPECT_EQ(visible_text("co\u00ADop"), "co<U+00AD>op");
  EXPECT_EQ(visible_text("\uFEFF"), "<U+FEFF>");
  EXPECT_EQ(visible_text("\uE000"), "<U+E000>");
  EXPECT_EQ(visible_text("\U000E0041"), "<U+E0041>");
  EXPECT_EQ(visible_text("\U0010FFFF"), "<U+10FFFF>");
  EXPECT_EQ(visible_text("\U0001FFFE"), "<U+1FFFE>");
}

TEST(Label, KeepsJoinersThatShapeTheirNeighbours) {
  for (const char* text : {"👨\u200D👩\u200D👧", "می\u200Cخواهم", "क्\u200Dष", "🏳\uFE0F\u200D🌈", "❤\uFE0F", "葛\U000E0100"}) {
    EXPECT_EQ(visible_text(text), text);
  }
  const std::string wales = "🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F";
  EXPECT_EQ(visible_text(wales), wales);
}

TEST(Label, NamesJoinersThatShapeNothing) {
  EXPECT_EQ(visible_text("\u200D"), "<U+200D>");
  EXPECT_EQ(visible_text("👨\u200D"), "👨<U+200D>");
  EXPECT_EQ(visible_text("a\u200Db"), "a<U+200D>b");
  EXPECT_EQ(visible_text("👨\u200D\u200D👩"), "👨<U+200D><U+200D>👩");
  EXPECT_EQ(visible_text("\uFE0F"), "<U+FE0F>");
  EXPECT_EQ(visible_text("❤\uFE0F\uFE0F"), "❤\uFE0F<U+FE0F>");
}

TEST(Label, PutsAMarkAloneOnADottedCircle) { EXPECT_EQ(visible_text("\u0301"), "◌\u0301"); }

TEST(Label, NeverLetsAControlOrBidiCharacterThrough) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool bidi = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    if (!control && !bidi) continue;
    for (const std::string around : {"", "x", "ש", "👨", "\u200D"}) {
      std::string text = around;
      append_utf8(&text, c);
      const std::string raw = text.substr(around.size());
      text += around;
      EXPECT_EQ(visible_text(text).find(raw), std::string::npos) << code_point_name(c);
    }
  }
}

TEST(Label, SurvivesBytesThatAreNotUtf8) { EXPECT_EQ(visible_text("a\xFFz"), "a\uFFFDz"); }

TEST(Label, MarksContinuationsOnly) {
  EXPECT_EQ(token_label({1, "ing", 4, 7, TokenKind::kContinuation, 0, 0}), "##ing");
  EXPECT_EQ(token_label({1, "go", 0, 2, TokenKind::kWord, 0, 0}), "go");
  EXPECT_EQ(token_label({101, "[CLS]", 0, 0, TokenKind::kSpecial, -1, 0}), "[CLS]");
}

TEST(Prose, KeepsItsSpacesAndWhatElseIsKept) {
  EXPECT_EQ(visible_prose("a  b\tc\n"), "a  b⇥c↵");
  EXPECT_EQ(visible_prose("a b\nc", " \n"), "a b\nc");
  EXPECT_EQ(visible_prose(" "), " ");
  EXPECT_EQ(visible_prose(""), "");
}

TEST(Gap, IsTheTextBetweenTwoTokens) {
  const std::vector<std::string> texts{"un happy\n cat", "dog"};
  std::vector<Token> tokens{{101, "[CLS]", 0, 0, TokenKind::kSpecial, -1, 0},
                            {1, "un", 0, 2, TokenKind::kWord, 0, 0},
                            {2, "happy", 3, 8, TokenKind::kWord, 1, 0},
                            {3, "cat", 10, 13, TokenKind::kWord, 2, 0},
                            {4, "dog", 0, 3, TokenKind::kWord, 0, 1}};
  EXPECT_EQ(gap_before(tokens, 0, texts), "");
  EXPECT_EQ(gap_before(tokens, 1, texts), " ");
  EXPECT_EQ(gap_before(tokens, 2, texts), " ");
  EXPECT_EQ(gap_before(tokens, 3, texts), "\n ");
  EXPECT_EQ(gap_before(tokens, 4, texts), "\n");  // of another text
  tokens[2].begin = 2;
  EXPECT_EQ(gap_before(tokens, 2, texts), "");
  EXPECT_EQ(gap_before(tokens, 2, {}), " ");  // a list without its text
  tokens[2].kind = TokenKind::kContinuation;
  EXPECT_EQ(gap_before(tokens, 2, {}), "");
  tokens[1].position = 1;
  tokens[2].position = 5;
  EXPECT_EQ(gap_before(tokens, 2, texts), " … ");
}

}  // namespace
}  // namespace attnviz
