// Ids that go on with a text: places, words, characters that several tokens share, spellings of every kind of vocabulary.
#include "text/models/continuation.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/make_tokenizer.h"
#include "text/models/piece_spelling.h"
#include "unit/text/small_tokenizer.h"

namespace attnviz {
namespace {

using ::testing::ElementsAre;

GeneratedPiece piece(std::string bytes) { return {7, std::move(bytes), "", false}; }

TEST(AppendPieces, WordsGoOnFromTheText) {
  std::string text = "tow";
  const std::vector<Token> before = {{3, "tow", 0, 3, TokenKind::kWord, 4}};
  const std::vector<GeneratedPiece> pieces = {piece("ering"), piece(" sky"), piece("'"), piece("s"), piece("\n")};
  const std::vector<Token> tokens = append_pieces(pieces, before, &text);
  EXPECT_EQ(text, "towering sky's\n");
  EXPECT_THAT(texts_of(tokens), ElementsAre("ering", "sky", "'", "s", "\n"));
  EXPECT_THAT(words_of(tokens), ElementsAre(4, 5, 5, 5, 6));
  EXPECT_EQ(tokens[0].kind, TokenKind::kContinuation);
  EXPECT_EQ(tokens[1].kind, TokenKind::kWord);
  EXPECT_EQ(tokens[1].begin, 9U);
  EXPECT_EQ(tokens[1].end, 12U);
  for (const Token& token : tokens) EXPECT_TRUE(token.generated);
}

TEST(AppendPieces, ASharedCharacterIsThePlaceOfAllItsTokens) {
  std::string text = "go";
  const std::vector<Token> before = {{3, "go", 0, 2, TokenKind::kWord, 0}};
  const std::vector<GeneratedPiece> pieces = {piece(" \xF0\x9F"), piece("\x98"), piece("\x80!"), piece("!")};
  const std::vector<Token> tokens = append_pieces(pieces, before, &text);
  EXPECT_EQ(text, "go \xF0\x9F\x98\x80!!");
  EXPECT_THAT(texts_of(tokens), ElementsAre("<0xF0><0x9F>", "<0x98>", "<0x80>!", "!"));
  EXPECT_EQ(tokens[0].begin, 3U);
  for (const std::size_t i : {0, 1}) EXPECT_EQ(tokens[i].end, 7U);
  EXPECT_EQ(tokens[1].begin, 3U);
  EXPECT_EQ(tokens[2].begin, 3U);
  EXPECT_EQ(tokens[2].end, 8U);
  EXPECT_EQ(tokens[3].kind, TokenKind::kWord);
  EXPECT_EQ(tokens[0].kind, TokenKind::kBytes);
}

TEST(AppendPieces, BytesThatMakeNoCharacterAreReplaced) {
  std::string text;
  const std::vector<Token> tokens = append_pieces(std::vector{piece("a"), piece("\xE2\x82"), piece("b")}, {}, &text);
  EXPECT_EQ(text,
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(tokens[1].text, "<0xE2><0x82>");
  EXPECT_EQ(tokens[1].begin, 1U);
  EXPECT_EQ(tokens[1].end, 7U);
  EXPECT_EQ(tokens[2].begin, 7U);
}

TEST(AppendPieces, SpecialTokensAddNothing) {
  std::string text = "end";
  const std::vector<Token> before = {{3, "end", 0, 3, TokenKind::kWord, 0}};
  const std::vector<GeneratedPiece> pieces = {{2, "", "</s>", true}, piece("ing")};
  const std::vector<Token> tokens = append_pieces(pieces, before, &text);
  EXPECT_EQ(text, "ending");
  EXPECT_EQ(tokens[0].kind, TokenKind::kSpecial);
  EXPECT_EQ(tokens[0].text, "</s>");
  EXPECT_EQ(tokens[0].begin, 3U);
  EXPECT_EQ(tokens[0].end, 3U);
  EXPECT_THAT(words_of(tokens), ElementsAre(-1, 1));  // a word does not go on across a special token
}

TEST(PieceSpelling, EveryKindOfVocabulary) {
  TokenizerSpec spec = small_spec();
  EXPECT_EQ(PieceSpelling(spec).bytes_of("##able"), "able");
  EXPECT_EQ(PieceSpelling(spec).bytes_of("the"), " the");
  spec.model = BpeSpec{};
  spec.pre_tokenizers = {ByteLevelSpec{}};
  EXPECT_EQ(PieceSpelling(spec).bytes_of("\xC4\xA0street"), " street");
  EXPECT_EQ(PieceSpelling(spec).bytes_of("\xC3\xA2"), "\xE2");
  EXPECT_EQ(PieceSpelling(spec).bytes_of("<0xE2>"), "<0xE2>");
  spec.pre_tokenizers = {MetaspaceSpec{}};
  EXPECT_EQ(PieceSpelling(spec).bytes_of("\xE2\x96\x81the\xE2\x96\x81"), " the ");
  BpeSpec bpe;
  bpe.byte_fallback = true;
  spec.model = bpe;
  EXPECT_EQ(PieceSpelling(spec).bytes_of("<0xE2>"), "\xE2");
  EXPECT_EQ(PieceSpelling(spec).bytes_of("<0xE2"), "<0xE2");
  bpe.end_of_word_suffix = "</w>";
  spec.model = bpe;
  spec.pre_tokenizers = {};
  EXPECT_EQ(PieceSpelling(spec).bytes_of("cat</w>"), "cat ");
  EXPECT_EQ(PieceSpelling(spec).bytes_of("ca"), "ca");
}

TEST(DecodeAfter, AddedTokensAndIdsThatAreNone) {
  const auto tokenizer = make_tokenizer(small_spec());
  std::string text = "the";
  const std::vector<Token> before = {{5, "the", 0, 3, TokenKind::kWord, 0}};
  const std::vector<std::int32_t> ids = {12, 10, 3};
  const std::vector<Token> tokens = tokenizer->decode_after(&text, before, ids);
  EXPECT_EQ(text, "the resumeable");
  EXPECT_THAT(texts_of(tokens), ElementsAre("resume", "able", "[SEP]"));
  EXPECT_THAT(words_of(tokens), ElementsAre(1, 1, -1));
  EXPECT_THROW(tokenizer->decode_after(&text, before, std::vector<std::int32_t>{99}), Error);
}

}  // namespace
}  // namespace attnviz
