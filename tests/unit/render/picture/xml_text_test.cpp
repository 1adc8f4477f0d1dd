// Any bytes as XML character data: well formed, and what a parser reads is what was put in, as far as XML can hold it.
#include "render/picture/xml_text.h"

#include <random>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

// What a parser makes of text without elements; fails the test on anything that is not character data of XML 1.0.
std::string parsed(const std::string& xml) {
  std::string text;
  for (std::size_t at = 0; at < xml.size();) {
    const Utf8Char c = decode_utf8(xml, at);
    EXPECT_GT(c.length, 0U) << "not UTF-8";
    if (c.length == 0) return text;
    if (c.code_point == U'&') {
      const std::size_t end = xml.find(';', at);
      EXPECT_NE(end, std::string::npos) << xml;
      if (end == std::string::npos) return text;
      const std::string name = xml.substr(at + 1, end - at - 1);
      if (name == "amp" || name == "lt" || name == "gt" || name == "quot") {
        text += name == "amp" ? '&' : name == "lt" ? '<' : name == "gt" ? '>' : '"';
      } else {
        EXPECT_EQ(name.at(0), '#') << name;
        append_utf8(
            &text, static_cast<char32_t>(name.at(1) == 'x' ? std::stoul(name.substr(2), nullptr, 16) : std::stoul(name.substr(1))));
      }
      at = end + 1;
      continue;
    }
    EXPECT_TRUE(c.code_point >= 0x20 && c.code_point != 0xFFFE && c.code_point != 0xFFFF) << code_point_name(c.code_point);
    EXPECT_EQ(std::u32string(U"<>\"'").find(c.code_point), std::u32string::npos) << "markup";
    append_utf8(&text, c.code_point);
    at += c.length;
  }
  return text;
}

// What XML can hold of it.
std::string holdable(std::string_view text) {
  std::string held;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const char32_t p = c.code_point;
    const bool fits = c.length > 0 && (p >= 0x20 || p == 9 || p == 10 || p == 13) && p != 0xFFFE && p != 0xFFFF;
    append_utf8(&held, fits ? p : 0xFFFD);
    at += std::max<std::size_t>(c.length, 1);
  }
  return held;
}

TEST(XmlText, MarkupIsText) {
  EXPECT_EQ(xml_text("</text><script>alert('1 & \"2\"')]]>"),
            "&lt;/text&gt;&lt;script&gt;alert(&#39;1 &amp; &quot;2&quot;&#39;)]]&gt;");
  EXPECT_EQ(xml_text("&lt;"), "&amp;lt;");
}

TEST(XmlText, WhatCannotBeSeenIsAReference) {
  EXPECT_EQ(xml_text("a\u202Eb"), "a&#x202E;b");
  EXPECT_EQ(xml_text("a\nb\tc"), "a&#xA;b&#x9;c");
  EXPECT_EQ(xml_text("\U0001F469\u200D\U0001F680"), "\U0001F469\u200D\U0001F680") << "joiners stay";
}

TEST(XmlText, WhatXmlCannotHoldIsReplaced) {
  EXPECT_EQ(xml_text(std::string("a\0b\x01\x1B", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(xml_text("\uFFFE\xFF\xC3"), "\uFFFD\uFFFD\uFFFD");
}

TEST(XmlText, AnyBytesComeBack) {
  std::mt19937 random(7);
  const std::string spice = "<>&\"'];#x\n\r\t\x01\xE2\x80\xAE\xEF\xBF\xBF";
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) {
      text += random() % 2 == 0 ? spice[random() % spice.size()] : static_cast<char>(random());
    }
    ASSERT_EQ(parsed(xml_text(text)), holdable(text));
  }
}

}  // namespace
}  // namespace attnviz
