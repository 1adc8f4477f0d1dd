// Every code point, one by one, through normaliser and pre-tokeniser, against checksums of the reference's answers for each block
// of 4,096 (code_points.json, made by tests/reference/tokenizer_corpus.py). Each is asked in "a" U+302E c "b": U+302E is a
// combining mark that stays, so that canonical reordering shows.
#include <array>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "crc32.h"
#include "text/normalize/bert_normalizer.h"
#include "text/split/bert_pre_tokenizer.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

constexpr char32_t kBlock = 4096;
constexpr char32_t kEnd = 0x110000;

std::string pieces_of(const BertNormalizerSpec& spec, char32_t c) {
  std::string text = "a";
  append_utf8(&text, 0x302E);
  append_utf8(&text, c);
  text += "b";
  const AlignedText normalized = normalize_bert(spec, align_text(text));
  std::string out;
  for (const PreToken& piece : pre_tokenize_bert(normalized)) {
    if (!out.empty()) out += "\n";
    for (std::size_t i = piece.range.begin; i < piece.range.end; ++i) append_utf8(&out, normalized[i].code_point);
  }
  return out;
}

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

TEST(CodePoints, NormalizeAndSplitAsTheReference) {
  std::ifstream file(ATTNVIZ_TEST_DIR "/code_points.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden.size(), kEnd / kBlock);
  const std::array<BertNormalizerSpec, 3> specs = {{
      {.clean_text = true, .handle_chinese_chars = true, .strip_accents = std::nullopt, .lowercase = true},
      {.clean_text = false, .handle_chinese_chars = false, .strip_accents = true, .lowercase = false},
      {.clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = true},
  }};
  for (char32_t first = 0; first < kEnd; first += kBlock) {
    std::array<std::string, 3> pieces;
    std::string is_word;
    for (char32_t c = first; c < first + kBlock; ++c) {
      if (is_surrogate(c)) continue;
      for (std::size_t i = 0; i < specs.size(); ++i) {
        if (c != first) pieces[i] += "\n\n";
        pieces[i] += pieces_of(specs[i], c);
      }
      is_word.push_back(is_word_character(c) ? '\1' : '\0');
    }
    const auto& expected = golden.at(first / kBlock);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(crc32_text(pieces[i]), expected.at(i).get<std::string>())
          << "block " << code_point_name(first) << ", normaliser " << i;
    }
    EXPECT_EQ(crc32_text(is_word), expected.at(3).get<std::string>()) << "block " << code_point_name(first) << ", word characters";
  }
}

}  // namespace
}  // namespace attnviz
