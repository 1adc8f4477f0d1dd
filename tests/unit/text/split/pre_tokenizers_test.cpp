// split.h, pre_tokenizers.h and normalizers.h: what each stage does to a small text, and the places it leaves. Whole corpora are
// compared with the reference in tests/parity/tokenizer.
#include "text/split/pre_tokenizers.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/normalize/normalizers.h"

namespace attnviz {
namespace {

std::string text_of(AlignedView text) {
  std::string out;
  for (const AlignedChar& c : text) append_utf8(&out, c.code_point);
  return out;
}

std::string split(const PreTokenizerSpec& spec, std::string_view text) {
  std::vector<WordText> words;
  make_pre_tokenizer(spec, "file")->split(align_text(text), &words);
  std::string out;
  for (const WordText& word : words) {
    if (!out.empty()) out += "|";
    out += text_of(word.text);
  }
  return out;
}

TEST(PreTokenizers, FiveBehavioursOfASplit) {
  const auto with = [](SplitBehavior behavior, bool invert = false) {
    return split(SplitSpec{{"-", false}, behavior, invert}, "the-final--countdown");
  };
  EXPECT_EQ(with(SplitBehavior::kRemoved), "the|final|countdown");
  EXPECT_EQ(with(SplitBehavior::kIsolated), "the|-|final|-|-|countdown");
  EXPECT_EQ(with(SplitBehavior::kMergedWithPrevious), "the-|final-|-|countdown");
  EXPECT_EQ(with(SplitBehavior::kMergedWithNext), "the|-final|-|-countdown");
  EXPECT_EQ(with(SplitBehavior::kContiguous), "the|-|final|--|countdown");
  EXPECT_EQ(with(SplitBehavior::kRemoved, true), "-|-|-");
  EXPECT_EQ(split(SplitSpec{{"", false}, SplitBehavior::kIsolated, false}, "ab"), "ab");
}

TEST(PreTokenizers, KindsOfCharacters) {
  EXPECT_EQ(split(DigitsSpec{true}, "a12b"), "a|1|2|b");
  EXPECT_EQ(split(DigitsSpec{false}, "a12b"), "a|12|b");
  EXPECT_EQ(split(WhitespaceSpec{}, "Hey, you_2!?  x"), "Hey|,|you_2|!?|x");
  EXPECT_EQ(split(WhitespaceSplitSpec{}, " Hey, you\n"), "Hey,|you");
  EXPECT_EQ(split(PunctuationSpec{}, "a!?b"), "a|!|?|b");
  EXPECT_EQ(split(PunctuationSpec{SplitBehavior::kContiguous}, "a!?b"), "a|!?|b");
}

TEST(PreTokenizers, ByteLevel) {
  EXPECT_EQ(split(ByteLevelSpec{.add_prefix_space = false, .use_regex = true}, "a  b's \xC3\xA9"),
            "a|\xC4\xA0|\xC4\xA0"
            "b|'s|\xC4\xA0\xC3\x83\xC2\xA9");
  EXPECT_EQ(split(ByteLevelSpec{.add_prefix_space = true, .use_regex = false}, "a b"),
            "\xC4\xA0"
            "a\xC4\xA0"
            "b");
  EXPECT_EQ(split(ByteLevelSpec{.add_prefix_space = true, .use_regex = true}, ""), "");
}

std::string normalize(const NormalizerSpec& spec, std::string_view text, std::string* places = nullptr) {
  const AlignedText out = make_normalizer(spec, "file")->normalize(align_text(text));
  for (const AlignedChar& c : out) {
    if (places != nullptr)
      places->append("[").append(std::to_string(c.begin)).append(",").append(std::to_string(c.end)).append(")");
  }
  return text_of(out);
}

TEST(Normalizers, UnicodeForms) {
  using Form = UnicodeFormSpec::Form;
  std::string places;
  EXPECT_EQ(normalize(UnicodeFormSpec{Form::kNfc}, "e\xCC\x81x", &places), "\xC3\xA9x");
  EXPECT_EQ(places, "[0,3)[3,4)") << "a composed character has the place of both";
  EXPECT_EQ(normalize(UnicodeFormSpec{Form::kNfd}, "\xC3\xA9"), "e\xCC\x81");
  EXPECT_EQ(normalize(UnicodeFormSpec{Form::kNfkc}, "\xEF\xAC\x81\xC2\xBD"),
            "fi1\xE2\x81\x84"
            "2");
  EXPECT_EQ(normalize(UnicodeFormSpec{Form::kNfc}, "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"), "\xEA\xB0\x81") << "Hangul";
  EXPECT_EQ(normalize(UnicodeFormSpec{Form::kNfc}, "a\xCC\xA7\xCC\x81"), "\xC3\xA1\xCC\xA7") << "past a mark of a lower class";
}

TEST(Normalizers, SmallOnes) {
  EXPECT_EQ(normalize(LowercaseSpec{},
                      "\xC3\x89"
                      "A"),
            "\xC3\xA9"
            "a");
  EXPECT_EQ(normalize(StripAccentsSpec{}, "e\xCC\x81\xC3\xA9"), "e\xC3\xA9");
  EXPECT_EQ(normalize(StripSpec{true, false}, " a "), "a ");
  EXPECT_EQ(normalize(StripSpec{true, true}, "  "), "");
  EXPECT_EQ(normalize(ReplaceSpec{{" {2,}", true}, "_"}, "a   b c"), "a_b c");
  EXPECT_EQ(normalize(ReplaceSpec{{"b", false}, ""}, "abc"), "ac");
  std::string places;
  EXPECT_EQ(normalize(PrependSpec{"_"}, "ab", &places), "_ab");
  EXPECT_EQ(places, "[0,0)[0,1)[1,2)");
  EXPECT_EQ(normalize(PrependSpec{"_"}, ""), "");
}

}  // namespace
}  // namespace attnviz
