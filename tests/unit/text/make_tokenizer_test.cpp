// make_tokenizer.h: the whole way from text to tokens. Ids over a real vocabulary are compared in tests/parity/tokenizer.
#include "text/make_tokenizer.h"

#include <attnviz/error.h>

#include <array>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "small_tokenizer.h"

namespace attnviz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Token> encode(const TextInput& input, const EncodeOptions& options = {}) {
  return make_tokenizer(small_spec())->encode(input, options);
}

TEST(MakeTokenizer, TokensHaveTheUsersTextAndPlace) {
  const auto tokens = encode({"The  Résumé.", std::nullopt});
  EXPECT_THAT(ids_of(tokens), ElementsAre(2, 5, 12, 14, 3));
  EXPECT_THAT(texts_of(tokens), ElementsAre("[CLS]", "The", "Résumé", ".", "[SEP]"));
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 1, 2, -1));
  EXPECT_EQ(tokens[2].begin, 5U);
  EXPECT_EQ(tokens[2].end, 13U);
  EXPECT_EQ(tokens[0].begin, 0U);
  EXPECT_EQ(tokens[0].end, 0U);
  EXPECT_EQ(tokens[4].begin, 14U) << "the last [SEP] stands after the text";
  EXPECT_EQ(tokens[4].end, 14U);
}

TEST(MakeTokenizer, Kinds) {
  const auto tokens = encode({"unable zzz didn't [MASK]", std::nullopt});
  std::vector<std::string_view> kinds;
  for (const Token& token : tokens) kinds.push_back(token_kind_name(token.kind));
  EXPECT_THAT(kinds, ElementsAre("special", "word", "continuation", "unknown", "word", "word", "word", "special", "special"));
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 0, 1, 2, 2, 2, -1, -1));
}

TEST(MakeTokenizer, PairsHaveSegmentsAndOneCountOfWords) {
  const auto tokens = encode({"the a", "b"});
  EXPECT_THAT(texts_of(tokens), ElementsAre("[CLS]", "the", "a", "[SEP]", "b", "[SEP]"));
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 1, -1, 2, -1));
  std::vector<std::int32_t> segments;
  for (const Token& token : tokens) segments.push_back(token.segment);
  EXPECT_THAT(segments, ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_EQ(tokens[3].begin, 5U);
  EXPECT_EQ(tokens[4].begin, 0U) << "offsets are into the segment's own text";
  EXPECT_EQ(tokens[5].begin, 1U);
}

TEST(MakeTokenizer, TypesOfTheTemplateReachTheBatch) {
  TokenizerSpec spec = small_spec();
  for (TemplatePiece& piece : spec.pair) piece.segment = 0;
  const auto tokens = make_tokenizer(spec)->encode({"a", "b"});
  EXPECT_EQ(tokens[3].segment, 1);
  TokenBatch batch;
  batch.append(tokens);
  EXPECT_THAT(batch.segments, ElementsAre(0, 0, 0, 0, 0));
  TokenBatch usual;
  usual.append(encode({"a", "b"}));
  EXPECT_THAT(usual.segments, ElementsAre(0, 0, 0, 1, 1));
}

TEST(MakeTokenizer, TypedSpecialTokens) {
  const auto tokens = encode({"a[MASK]b [mask]", std::nullopt});
  EXPECT_THAT(ids_of(tokens), ElementsAre(2, 18, 4, 19, 22, 24, 23, 3));
  EXPECT_EQ(tokens[2].kind, TokenKind::kSpecial);
  EXPECT_EQ(tokens[2].begin, 1U);
  EXPECT_EQ(tokens[2].end, 7U);
  const auto plain = encode({"a[MASK]b", std::nullopt}, {.plain = true});
  EXPECT_THAT(texts_of(plain), ElementsAre("[CLS]", "a", "[", "MASK", "]", "b", "[SEP]"));
}

TEST(MakeTokenizer, AddedTokensInNormalizedText) {
  TokenizerSpec spec = small_spec();
  const auto n = static_cast<std::int32_t>(std::get<WordPieceSpec>(spec.model).vocab.size());
  spec.added_tokens.push_back({.id = n, .content = "Été", .normalized = true});
  const auto tokenizer = make_tokenizer(spec);
  const auto tokens = tokenizer->encode({"aéTÉb", std::nullopt});
  EXPECT_THAT(texts_of(tokens), ElementsAre("[CLS]", "a", "éTÉ", "b", "[SEP]"));
  EXPECT_EQ(tokens[2].id, n);
  EXPECT_EQ(tokens[2].kind, TokenKind::kWord);
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 1, 2, -1));
  EXPECT_EQ(tokenizer->n_vocab(), static_cast<std::size_t>(n) + 1);
  EXPECT_EQ(tokenizer->token_text(n), "Été");
  EXPECT_EQ(tokenizer->token_text(10), "##able");
  EXPECT_THROW(tokenizer->token_text(n + 1), Error);
  EXPECT_THROW(tokenizer->token_text(-1), Error);
}

TEST(MakeTokenizer, SpaceOfAStrippingTokenCountsUnlessTrimmed) {
  TokenizerSpec spec = small_spec();
  spec.added_tokens[4].lstrip = true;
  EXPECT_THAT(texts_of(make_tokenizer(spec)->encode({"a [MASK]", std::nullopt})), ElementsAre("[CLS]", "a", " [MASK]", "[SEP]"));
  spec.trim_offsets = true;
  EXPECT_THAT(texts_of(make_tokenizer(spec)->encode({"a [MASK]", std::nullopt})), ElementsAre("[CLS]", "a", "[MASK]", "[SEP]"));
}

TEST(MakeTokenizer, TextsWithoutWords) {
  for (const char* text : {"", "  ", "\u200b", "\n\t"})
    EXPECT_THAT(texts_of(encode({text, std::nullopt})), ElementsAre("[CLS]", "[SEP]"));
}

TEST(MakeTokenizer, InvalidUtf8NamesTextAndByte) {
  const auto message = [](const TextInput& input) -> std::string {
    try {
      encode(input);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message({"ab\xff", std::nullopt}), HasSubstr("text 1: is not UTF-8 at byte 2 (0xFF)"));
  EXPECT_THAT(message({"ab", "\xc3"}), HasSubstr("text 2: is not UTF-8 at byte 0 (0xC3)"));
}

TEST(MakeTokenizer, RefusesBadSpecs) {
  using Change = std::function<void(TokenizerSpec*)>;
  const std::vector<std::pair<Change, std::string>> cases = {
      {[](TokenizerSpec* s) { s->single[0].id = 99; }, "the template's token \"[CLS]\" has the id 99"},
      {[](TokenizerSpec* s) { s->single[0].id = -1; }, "the template's token \"[CLS]\" has the id -1"},
      {[](TokenizerSpec* s) { s->single.clear(); }, "must hold it once"},
      {[](TokenizerSpec* s) { s->pair = s->single; }, "the first text once and then the second once"},
      {[](TokenizerSpec* s) { std::swap(s->pair[1], s->pair[3]); }, "the first text once and then the second once"},
      {[](TokenizerSpec* s) { s->added_tokens[0].id = 1'000'000; }, "the added token \"[PAD]\" has the id 1000000"},
      {[](TokenizerSpec* s) { std::get<WordPieceSpec>(s->model).unknown = "?"; }, "the unknown token \"?\""},
  };
  for (const auto& [change, expected] : cases) {
    TokenizerSpec spec = small_spec();
    change(&spec);
    try {
      make_tokenizer(spec);
      ADD_FAILURE() << "no error: " << expected;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      EXPECT_THAT(error.what(), HasSubstr(expected));
    }
  }
}

// Any text at all: places inside it, on character boundaries, never running backwards; words never running backwards either.
TEST(MakeTokenizer, PlacesAreSoundInRandomTexts) {
  std::mt19937 random(11);
  const auto tokenizer = make_tokenizer(small_spec());
  const std::array<std::string, 9> parts = {"the", "[MASK]", " ", "'", "\u0301", "東", "\u200d", "unable", "가"};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i) {
      const char32_t c = random() % (random() % 2 == 0 ? 0x500 : 0x110000);
      if (random() % 2 == 0) {
        text += parts[random() % parts.size()];
      } else if (c < 0xD800 || c > 0xDFFF) {
        append_utf8(&text, c);
      }
    }
    std::size_t last_begin = 0, last_end = 0;
    std::int32_t last_word = -1;
    for (const Token& token : tokenizer->encode({text, std::nullopt})) {
      ASSERT_LE(token.begin, token.end);
      ASSERT_LE(token.end, text.size());
      ASSERT_GE(token.begin, last_begin);
      ASSERT_GE(token.end, last_end);
      ASSERT_FALSE(find_invalid_utf8(std::string_view(text).substr(token.begin, token.end - token.begin)));
      ASSERT_FALSE(find_invalid_utf8(std::string_view(text).substr(token.end)));
      last_begin = token.begin;
      last_end = token.end;
      if (token.kind == TokenKind::kSpecial) continue;
      ASSERT_EQ(token.text, text.substr(token.begin, token.end - token.begin));
      ASSERT_TRUE(token.word == last_word || token.word == last_word + 1);
      last_word = token.word;
    }
  }
}

}  // namespace
}  // namespace attnviz
