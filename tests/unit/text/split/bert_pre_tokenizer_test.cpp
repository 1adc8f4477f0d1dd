// bert_pre_tokenizer.h: pieces, and which of them are one word.
#include "text/split/bert_pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

using testing::ElementsAre;

// The pieces of a text; one that continues the word before it begins with "+".
std::vector<std::string> pieces(std::string_view text) {
  const AlignedText aligned = align_text(text);
  std::vector<std::string> out;
  for (const PreToken& piece : pre_tokenize_bert(aligned)) {
    out.emplace_back(piece.continues_word ? "+" : "");
    for (std::size_t i = piece.range.begin; i < piece.range.end; ++i) append_utf8(&out.back(), aligned[i].code_point);
  }
  return out;
}

TEST(BertPreTokenizer, SplitsAtSpaceAndPunctuation) {
  EXPECT_THAT(pieces(" a  b,c!? "), ElementsAre("a", "b", ",", "c", "!", "?"));
  EXPECT_THAT(pieces("a\u3000b\u2014c\u20ac"), ElementsAre("a", "b", "\u2014", "c\u20ac"));
  EXPECT_THAT(pieces(""), ElementsAre());
  EXPECT_THAT(pieces(" \t\n"), ElementsAre());
}

TEST(BertPreTokenizer, ApostropheBetweenLettersJoinsThem) {
  EXPECT_THAT(pieces("didn't"), ElementsAre("didn", "+'", "+t"));
  EXPECT_THAT(pieces("aujourd\u2019hui"), ElementsAre("aujourd", "+\u2019", "+hui"));
  EXPECT_THAT(pieces("rock'n'roll"), ElementsAre("rock", "+'", "+n", "+'", "+roll"));
  EXPECT_THAT(pieces("5'10"), ElementsAre("5", "+'", "+10"));
  EXPECT_THAT(pieces("e\u0301's"), ElementsAre("e\u0301", "+'", "+s")) << "a mark belongs to its letter";
}

TEST(BertPreTokenizer, OtherApostrophesStandAlone) {
  EXPECT_THAT(pieces("dogs' tails"), ElementsAre("dogs", "'", "tails"));
  EXPECT_THAT(pieces("'tis"), ElementsAre("'", "tis"));
  EXPECT_THAT(pieces("a ' b"), ElementsAre("a", "'", "b"));
  EXPECT_THAT(pieces("a''b"), ElementsAre("a", "'", "'", "b"));
  EXPECT_THAT(pieces("a'-b"), ElementsAre("a", "'", "-", "b"));
  EXPECT_THAT(pieces("a`b"), ElementsAre("a", "`", "b"));
}

}  // namespace
}  // namespace attnviz
