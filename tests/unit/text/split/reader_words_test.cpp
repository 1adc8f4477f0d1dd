// reader_words.h, and what byte-level tokens look like to a reader: words, places without white space, bytes of a character.
#include "text/split/reader_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/make_tokenizer.h"
#include "text/models/byte_level.h"
#include "unit/text/small_tokenizer.h"

namespace attnviz {
namespace {

using testing::ElementsAre;

std::string code_points_to_text(char32_t c) {
  std::string text;
  append_utf8(&text, c);
  return text;
}

// A vocabulary of all bytes, and a few merges.
TokenizerSpec byte_spec() {
  BpeSpec model;
  for (int byte = 0; byte < 256; ++byte) {
    model.vocab.push_back(code_points_to_text(byte_to_char(static_cast<unsigned char>(byte))));
  }
  const std::string space = code_points_to_text(byte_to_char(' '));
  model.merges = {make_merge("d", "o"), make_merge("do", "n"), make_merge("'", "t"), make_merge(space, "t")};
  for (const BpeMerge& merge : model.merges) model.vocab.push_back(merge.pair);
  TokenizerSpec spec;
  spec.where = "bytes";
  spec.model = std::move(model);
  spec.pre_tokenizers = {ByteLevelSpec{.add_prefix_space = false, .use_regex = true}};
  spec.added_tokens = {{.id = 260, .content = "<s>", .special = true}};
  spec.single = {{TemplatePiece::What::kSpecial, "<s>", 260, 0}, {TemplatePiece::What::kFirst, "", 0, 0}};
  spec.pair = spec.single;
  spec.pair.push_back({TemplatePiece::What::kSecond, "", 0, 1});
  return spec;
}

TEST(ReaderWords, AnApostropheJoinsAndMarksDoNot) {
  const auto tokens = make_tokenizer(byte_spec())->encode({"don't t, 5a", std::nullopt});
  EXPECT_THAT(texts_of(tokens), ElementsAre("<s>", "don", "'t", "t", ",", " ", "5", "a"));
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 0, 1, 2, 3, 4, 4)) << "\"5\" and \"a\" are one word though two pre-tokens";
  EXPECT_EQ(tokens[2].kind, TokenKind::kContinuation);
  EXPECT_EQ(tokens[3].kind, TokenKind::kWord);
  EXPECT_EQ(tokens[3].begin, 6U) << "without the space that the token holds";
}

TEST(ReaderWords, BytesOfACharacterAreGroupedAndShownAsBytes) {
  const auto tokens = make_tokenizer(byte_spec())->encode({"a\xE6\x9D\xB1", std::nullopt});
  EXPECT_THAT(texts_of(tokens), ElementsAre("<s>", "a", "<0xE6>", "<0x9D>", "<0xB1>"));
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 0, 1, 1, 1));
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(tokens[i].kind, TokenKind::kBytes);
    EXPECT_EQ(tokens[i].begin, 1U);
    EXPECT_EQ(tokens[i].end, 4U);
  }
}

TEST(ReaderWords, NoBosLeavesOutWhatStandsInFront) {
  const auto tokenizer = make_tokenizer(byte_spec());
  EXPECT_THAT(texts_of(tokenizer->encode({"t", std::nullopt}, {.no_bos = true})), ElementsAre("t"));
  EXPECT_THAT(texts_of(tokenizer->encode({"<s>t", std::nullopt}, {.no_bos = true})), ElementsAre("<s>", "t"));
  EXPECT_THAT(texts_of(make_tokenizer(small_spec())->encode({"a", "b"}, {.no_bos = true})),
              ElementsAre("a", "[SEP]", "b", "[SEP]"));
}

TEST(ReaderWords, PlacesWithoutSpace) {
  const auto inner = [](std::string_view text) {
    const Place place = without_space(text, {0, text.size()});
    return std::pair(place.begin, place.end);
  };
  EXPECT_EQ(inner(" a\n"), std::pair(std::size_t{1}, std::size_t{2}));
  EXPECT_EQ(inner("\xE3\x80\x80x"), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(inner(" \n"), std::pair(std::size_t{0}, std::size_t{2})) << "nothing else there";
  EXPECT_EQ(inner(""), std::pair(std::size_t{0}, std::size_t{0}));
}

TEST(ReaderWords, ChineseCharactersAndMarks) {
  const auto words = [](std::string_view text, std::vector<std::size_t> ends) {
    std::vector<Token> tokens;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      tokens.push_back({.id = 0, .text = "", .begin = begin, .end = end});
      begin = end;
    }
    std::int32_t next = 4;
    number_reader_words(text, tokens, &next);
    return words_of(tokens);
  };
  EXPECT_THAT(words("\xE6\x9D\xB1\xE4\xBA\xAC", {3, 6}), ElementsAre(4, 5));
  EXPECT_THAT(words("e\xCC\x81s", {1, 3, 4}), ElementsAre(4, 4, 4)) << "a combining mark";
  EXPECT_THAT(words("a-b", {1, 2, 3}), ElementsAre(4, 5, 6));
  EXPECT_THAT(words("a''b", {1, 2, 3, 4}), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(words("\U0001F469\u200D\U0001F680!", {7, 11, 12}), ElementsAre(4, 4, 5)) << "joined emoji";
  EXPECT_THAT(words("\U0001F44D\U0001F3FD\U0001F44D", {4, 8, 12}), ElementsAre(4, 4, 5)) << "a skin tone";
  EXPECT_THAT(words("\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7", {4, 8, 12, 16}), ElementsAre(4, 4, 5, 5)) << "two flags";
}

}  // namespace
}  // namespace attnviz
