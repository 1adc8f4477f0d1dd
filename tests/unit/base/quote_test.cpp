// Foreign text in messages.
#include "base/quote.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(QuoteText, KeepsReadableText) { EXPECT_EQ(quote_text("encoder.layer.0 \u00e9\u4e2d"), "\"encoder.layer.0 \u00e9\u4e2d\""); }

TEST(QuoteText, ShowsWhatCouldChangeATerminal) {
  EXPECT_EQ(quote_text("a\x1b[2J\n"), "\"a\\x1B[2J\\x0A\"");
  EXPECT_EQ(quote_text("\u202e"), "\"\\xE2\\x80\\xAE\"");  // right-to-left override
  EXPECT_EQ(quote_text("\ufeff"), "\"\\xEF\\xBB\\xBF\"");  // byte order mark
  EXPECT_EQ(quote_text("\xff\xc3"), "\"\\xFF\\xC3\"");
  EXPECT_EQ(quote_text(std::string_view("\0", 1)), "\"\\x00\"");
  EXPECT_EQ(quote_text("a\"b\\"), "\"a\\\"b\\\\\"");
}

TEST(QuoteText, CutsAtCharacters) {
  EXPECT_EQ(quote_text("abcd", 3), "\"abc...\"");
  EXPECT_EQ(quote_text("abc", 3), "\"abc\"");
  EXPECT_EQ(quote_text("\u4e2d\u4e2d", 1), "\"\u4e2d...\"");
}

TEST(PrintableText, EscapesAndKeepsEverythingElse) {
  EXPECT_EQ(printable_text("say \"a\\b\" \x1b]0;x\x07"), "say \"a\\b\" \\x1B]0;x\\x07");
  EXPECT_EQ(printable_text(std::string(500, 'a')).size(), 500U);
}

}  // namespace
}  // namespace attnviz
