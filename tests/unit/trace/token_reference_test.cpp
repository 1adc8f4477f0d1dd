// Names of tokens on a command line: what they find, and what the messages tell.
#include "trace/token_reference.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Piece {
  const char* text;
  std::int32_t word;  // -1: special
  bool continues = false;
};

// "[CLS] The un ##happy cat saw it, 10-20 well-known cats: it ran - far [SEP]"
class TokenReference : public ::testing::Test {
 protected:
  TokenReference() {
    std::int32_t id = 0;
    for (const Piece& piece :
         {Piece{"[CLS]", -1}, Piece{"The", 0}, Piece{"un", 1}, Piece{"happy", 1, true}, Piece{"cat", 2}, Piece{"saw", 3},
          Piece{"it", 4}, Piece{",", 5}, Piece{"10", 6}, Piece{"-", 7}, Piece{"20", 8}, Piece{"well-known", 9}, Piece{"cats", 10},
          Piece{":", 11}, Piece{"it", 12}, Piece{"ran", 13}, Piece{"far", 14}, Piece{"[SEP]", -1}}) {
      Token token{id++, piece.text, 0, 0, TokenKind::kWord, piece.word, 0};
      if (piece.word < 0) token.kind = TokenKind::kSpecial;
      if (piece.continues) token.kind = TokenKind::kContinuation;
      if (piece.word >= 0) {
        if (!piece.continues && !text_.empty()) text_ += ' ';
        token.begin = text_.size();
        text_ += piece.text;
        token.end = text_.size();
      }
      tokens_.push_back(token);
    }
    texts_ = {text_};
  }

  TokenNames names() const { return {Setting::kRows, tokens_, texts_}; }

  // "begin-last", or the message.
  std::string word(std::string_view reference) const { return told(reference, find_word); }
  std::string span(std::string_view reference) const { return told(reference, find_span); }

  std::string told(std::string_view reference, TokenSpan (*find)(std::string_view, const TokenNames&)) const {
    try {
      const TokenSpan found = find(reference, names());
      return fmt::format("{}-{}", found.begin, found.end - 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), testing::StartsWith("rows "));
      return error.what();
    }
  }

  std::string text_;
  std::vector<std::string> texts_;
  std::vector<Token> tokens_;
};

TEST_F(TokenReference, FindsWordsWithAllTheirPieces) {
  EXPECT_EQ(word("cat"), "4-4");
  EXPECT_EQ(word("unhappy"), "2-3");
  EXPECT_EQ(word("[CLS]"), "0-0");
  EXPECT_EQ(word(","), "7-7");
  EXPECT_EQ(word("well-known"), "11-11");
}

TEST_F(TokenReference, FindsSinglePieces) {
  EXPECT_EQ(word("happy"), "3-3");
  EXPECT_EQ(word("##happy"), "3-3");
}

TEST_F(TokenReference, FindsOneOfSeveralAndIndices) {
  EXPECT_EQ(word("it#1"), "6-6");
  EXPECT_EQ(word("it#2"), "14-14");
  EXPECT_EQ(word("cat#1"), "4-4");
  EXPECT_EQ(word("@0"), "0-0");
  EXPECT_EQ(word("@17"), "17-17");
}

TEST_F(TokenReference, ABareNumberIsAWordButInSpans) {
  EXPECT_EQ(word("10"), "8-8");
  EXPECT_EQ(span("10"), "10-10");
  EXPECT_EQ(span("10#1"), "8-8");
  EXPECT_EQ(span("1-16"), "1-16");
  EXPECT_EQ(span("10#1-20#1"), "8-10");
}

TEST_F(TokenReference, ReadsSpans) {
  EXPECT_EQ(span("@4-@6"), "4-6");
  EXPECT_EQ(span("cat-it#2"), "4-14");
  EXPECT_EQ(span("The-unhappy"), "1-3");
  EXPECT_EQ(span("unhappy-@5"), "2-5");
  EXPECT_EQ(span("saw-saw"), "5-5");
  EXPECT_EQ(span("unhappy"), "2-3");
}

TEST_F(TokenReference, DashesOfTheTextAreNotTakenApart) {
  EXPECT_EQ(span("well-known"), "11-11");
  EXPECT_EQ(span("cat-well-known"), "4-11");
  EXPECT_EQ(span("well-known-cats"), "11-12");
  EXPECT_EQ(span("-"), "9-9");
  EXPECT_EQ(span("it#1--"), "6-9");
}

TEST_F(TokenReference, AnUnknownWordListsThoseThatAreThere) {
  EXPECT_THAT(word("dog"), AllOf(HasSubstr("is not in the text"), HasSubstr("unhappy (@2)"), HasSubstr("cat (@4)")));
  EXPECT_THAT(word("unhapy"), HasSubstr("did you mean unhappy?"));
  EXPECT_THAT(span("cat-dog"), AllOf(HasSubstr("\"dog\""), Not(HasSubstr("\"cat-dog\""))));
  EXPECT_THAT(span("dog-cat"), HasSubstr("\"dog\""));
  EXPECT_THAT(word("dog#2"), HasSubstr("is not in the text"));
  EXPECT_THAT(word(""), HasSubstr("is not in the text"));
  EXPECT_THAT(span("cat-"), HasSubstr("is not in the text"));
}

TEST_F(TokenReference, ALongTextIsNotListedWhole) {
  tokens_.clear();
  texts_ = {""};
  for (int i = 0; i < 5000; ++i) tokens_.push_back({i, fmt::format("word{}", i), 0, 0, TokenKind::kWord, i, 0});
  const std::string message = word("nothing");
  EXPECT_LT(message.size(), 1500U);
  EXPECT_THAT(message, HasSubstr("and 4960 more"));
}

TEST_F(TokenReference, ARepeatedWordNeedsItsNumber) {
  EXPECT_THAT(word("it"), AllOf(HasSubstr("2 times"), HasSubstr("it#1 (@6)"), HasSubstr("it#2 (@14)")));
  EXPECT_THAT(span("cat-it"), HasSubstr("it#2 (@14)"));
}

TEST_F(TokenReference, NumbersPastTheLastAreSaid) {
  EXPECT_THAT(word("@18"), AllOf(HasSubstr("18"), HasSubstr("@0 to @17")));
  EXPECT_THAT(span("3-18"), HasSubstr("@0 to @17"));
  EXPECT_THAT(span("99999999999999999999999"), HasSubstr("@0 to @17"));
  EXPECT_THAT(word("it#3"), HasSubstr("occurs 2 times in the text"));
  EXPECT_THAT(word("it#0"), HasSubstr("counting starts at 1"));
}

TEST_F(TokenReference, BackwardsSpansAreRefused) {
  EXPECT_THAT(span("6-4"), HasSubstr("runs backwards"));
  EXPECT_THAT(span("it#2-cat"), HasSubstr("runs backwards"));
}

TEST_F(TokenReference, SpacesThatAVocabularyKeepsWithAWordDoNotCount) {
  texts_ = {"a cat"};
  tokens_ = {
      {0, "a", 0, 1, TokenKind::kWord, 0, 0}, {1, " cat", 1, 5, TokenKind::kWord, 1, 0}, {2, " ", 5, 6, TokenKind::kWord, 2, 0}};
  EXPECT_EQ(word("cat"), "1-1");
  EXPECT_EQ(word(" "), "2-2");
}

}  // namespace
}  // namespace attnviz
