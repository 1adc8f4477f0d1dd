// bert_normalizer.h: each step, and the places of characters after it.
#include "text/normalize/bert_normalizer.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr BertNormalizerSpec kNothing{
    .clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = false};

std::string text_of(const AlignedText& text) {
  std::string out;
  for (const AlignedChar& c : text) append_utf8(&out, c.code_point);
  return out;
}

std::string normalized(const BertNormalizerSpec& spec, std::string_view text) {
  return text_of(normalize_bert(spec, align_text(text)));
}

TEST(BertNormalizer, DoesNothingWhenAllIsOff) { EXPECT_EQ(normalized(kNothing, "É\t\u200d東\u0301"), "É\t\u200d東\u0301"); }

TEST(BertNormalizer, CleansControlsAndWhiteSpace) {
  BertNormalizerSpec spec = kNothing;
  spec.clean_text = true;
  EXPECT_EQ(normalized(spec, "a\tb\r\nc\u00a0d\u3000e\u200df\x1b[0m\ufffd."), "a b  c d ef[0m.");
}

TEST(BertNormalizer, SpacesOutChinese) {
  BertNormalizerSpec spec = kNothing;
  spec.handle_chinese_chars = true;
  EXPECT_EQ(normalized(spec, "a東京b"), "a 東  京 b");
  const AlignedText text = normalize_bert(spec, align_text("a東"));
  ASSERT_EQ(text.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(text[i].begin, 1U);
    EXPECT_EQ(text[i].end, 4U);
  }
}

TEST(BertNormalizer, AccentsFollowLowerCaseUnlessSaid) {
  EXPECT_EQ(normalized({}, "RÉSUMÉ İ ΆΣ"), "resume i ασ");
  EXPECT_EQ(normalized({.strip_accents = false}, "RÉSUMÉ İ"), "résumé i\u0307");
  EXPECT_EQ(normalized({.clean_text = true, .handle_chinese_chars = true, .strip_accents = true, .lowercase = false}, "RÉSUMÉ"),
            "RESUME");
  EXPECT_EQ(
      normalized({.clean_text = true, .handle_chinese_chars = true, .strip_accents = std::nullopt, .lowercase = false}, "RÉSUMÉ"),
      "RÉSUMÉ");
}

TEST(BertNormalizer, ReordersMarksThatStay) {
  // U+1D165 (class 216) is put before U+302E (class 224); neither is a nonspacing mark, so both stay.
  EXPECT_EQ(normalized({}, "a\u302e\U0001D165"), "a\U0001D165\u302e");
  EXPECT_EQ(normalized({.strip_accents = false}, "a\u302e\U0001D165"), "a\u302e\U0001D165");
  EXPECT_EQ(normalized({}, "q\u0307\u0323\u302e"), "q\u302e");
}

TEST(BertNormalizer, PlacesPointIntoTheOriginal) {
  const AlignedText text = normalize_bert({}, align_text("\u200dÉ\u0323가x"));
  // É is bytes 3..5, the mark 5..7, the syllable 7..10 becomes two letters, x is 10.
  ASSERT_EQ(text_of(text), "e\u1100\u1161x");
  EXPECT_EQ(text[0].begin, 3U);
  EXPECT_EQ(text[0].end, 5U);
  EXPECT_EQ(text[1].begin, 7U);
  EXPECT_EQ(text[2].begin, 7U);
  EXPECT_EQ(text[2].end, 10U);
  EXPECT_EQ(text[3].begin, 10U);
}

}  // namespace
}  // namespace attnviz
