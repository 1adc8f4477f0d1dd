// UTF-8 by RFC 3629: every code point round-trips, and everything else is refused at the right byte.
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Utf8, EveryCodePointRoundTrips) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    std::string text;
    append_utf8(&text, code_point);
    const Utf8Char decoded = decode_utf8(text, 0);
    ASSERT_EQ(decoded.code_point, code_point);
    ASSERT_EQ(decoded.length, text.size());
  }
}

TEST(Utf8, IsCutBetweenCharacters) {
  const std::string text = "a\u00e9\u65e5\U0001F642";  // of 1, 2, 3 and 4 bytes
  for (const auto& [most, kept] : {std::pair{0, 0}, {1, 1}, {2, 1}, {3, 3}, {5, 3}, {6, 6}, {9, 6}, {10, 10}, {99, 10}}) {
    EXPECT_EQ(utf8_prefix(text, static_cast<std::size_t>(most)).size(), static_cast<std::size_t>(kept)) << most;
  }
  EXPECT_EQ(utf8_begin(text, 9), 6U);
  EXPECT_EQ(utf8_begin(text, 6), 6U);
  EXPECT_EQ(utf8_begin(text, 12), 10U);
  EXPECT_EQ(utf8_begin("", 0), 0U);
}

TEST(Utf8, RefusesWhatIsNotUtf8) {
  const std::string_view broken[] = {
      "\x80",              // a continuation byte alone
      "\xC3",              // cut off
      "\xE4\xB8",          // cut off
      "\xF0\x9F\x98",      // cut off
      "\xC3(",             // no continuation
      "\xC0\xAF",          // overlong, 2 bytes
      "\xE0\x9F\xBF",      // overlong, 3 bytes
      "\xF0\x8F\xBF\xBF",  // overlong, 4 bytes
      "\xED\xA0\x80",      // surrogate
      "\xED\xBF\xBF",      // surrogate
      "\xF4\x90\x80\x80",  // past U+10FFFF
      "\xF8\x88\x80\x80\x80",
      "\xFE",
      "\xFF",
  };
  for (const std::string_view text : broken) {
    EXPECT_EQ(decode_utf8(text, 0).length, 0U);
    EXPECT_EQ(find_invalid_utf8("ok\u00e9" + std::string(text)), 4U);
  }
  EXPECT_EQ(find_invalid_utf8("ok \u00e9 \u4e2d \U0001F600"), std::nullopt);
  EXPECT_EQ(decode_utf8("a", 1).length, 0U);
  EXPECT_EQ(decode_utf8("a", 99).length, 0U);
}

TEST(Utf8, NamesCodePoints) {
  EXPECT_EQ(code_point_name(0x41), "U+0041");
  EXPECT_EQ(code_point_name(0x1F600), "U+1F600");
}

}  // namespace
}  // namespace attnviz
