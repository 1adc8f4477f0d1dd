// Every code point, one by one, through a pattern of general categories, Digits and the normalisers, against checksums of the
// reference's answers for each block of 4,096 (class_points.json, made by tests/reference/tokenizer_kinds.py).
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "crc32.h"
#include "text/stages.h"

namespace attnviz {
namespace {

constexpr char32_t kBlock = 4096;
constexpr char32_t kEnd = 0x110000;

// The pattern of tokenizer_kinds.py that asks for most categories.
constexpr const char* kPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

void append_text(std::string* out, AlignedView text) {
  for (const AlignedChar& c : text) append_utf8(out, c.code_point);
}

void append_pieces(std::string* out, const PreTokenizer& stage, const std::string& text) {
  std::vector<WordText> words;
  stage.split(align_text(text), &words);
  bool first = true;
  for (const WordText& word : words) {
    if (word.text.empty()) continue;
    if (!std::exchange(first, false)) *out += "|";
    append_text(out, word.text);
  }
}

TEST(ClassPoints, AreTheReferences) {
  std::ifstream file(ATTNVIZ_TEST_DIR "/class_points.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden.size(), kEnd / kBlock);
  using Form = UnicodeFormSpec::Form;
  const PreTokenizerSpec split_spec = SplitSpec{{kPattern, true}, SplitBehavior::kIsolated, false};
  const auto split = make_pre_tokenizer(split_spec, "test");
  const auto digits = make_pre_tokenizer(DigitsSpec{true}, "test");
  const std::vector<NormalizerSpec> specs = {UnicodeFormSpec{Form::kNfc},  UnicodeFormSpec{Form::kNfd},
                                             UnicodeFormSpec{Form::kNfkc}, UnicodeFormSpec{Form::kNfkd},
                                             StripAccentsSpec{},           LowercaseSpec{}};
  std::vector<std::unique_ptr<Normalizer>> forms;
  for (const NormalizerSpec& spec : specs) forms.push_back(make_normalizer(spec, "test"));
  for (char32_t first = 0; first < kEnd; first += kBlock) {
    std::string split_text, digit_text, form_text;
    for (char32_t code_point = first; code_point < first + kBlock; ++code_point) {
      if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
      if (code_point != first) split_text += "\n\n", digit_text += "\n\n", form_text += "\n\n";
      std::string c;
      append_utf8(&c, code_point);
      append_pieces(&split_text, *split, "a" + c + "1" + c + " " + c + "A");
      append_pieces(&digit_text, *digits, "a" + c + "b");
      for (std::size_t i = 0; i < forms.size(); ++i) {
        if (i > 0) form_text += "|";
        append_text(&form_text, forms[i]->normalize(align_text("a" + c + "\xCC\x81")));
      }
    }
    const auto& expected = golden.at(first / kBlock);
    EXPECT_EQ(crc32_text(split_text), expected.at(0).get<std::string>()) << "block " << code_point_name(first) << ", pattern";
    EXPECT_EQ(crc32_text(digit_text), expected.at(1).get<std::string>()) << "block " << code_point_name(first) << ", digits";
    EXPECT_EQ(crc32_text(form_text), expected.at(2).get<std::string>()) << "block " << code_point_name(first) << ", normalisers";
  }
}

}  // namespace
}  // namespace attnviz
