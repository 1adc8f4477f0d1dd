// word_piece.h: greedy longest match, and against the plainest way to write it on random vocabularies.
#include "text/models/word_piece.h"

#include <attnviz/error.h>

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frozen_model.h"

namespace attnviz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> split(const WordPieceSpec& spec, std::string_view word) {
  std::vector<PieceModel::Piece> pieces;
  FrozenModel(spec)->encode(align_text(word), &pieces);
  std::vector<std::string> out;
  for (const auto& piece : pieces) out.push_back(spec.vocab[static_cast<std::size_t>(piece.id)]);
  return out;
}

TEST(WordPiece, TakesTheLongestPieceFirst) {
  WordPieceSpec spec;
  spec.vocab = {"[UNK]", "un", "una", "##able", "##ble", "##a", "é", "##é"};
  EXPECT_THAT(split(spec, "unable"), ElementsAre("una", "##ble"));
  EXPECT_THAT(split(spec, "unéa"), ElementsAre("un", "##é", "##a"));
  EXPECT_THAT(split(spec, "able"), ElementsAre("[UNK]")) << "able only continues a word";
  EXPECT_THAT(split(spec, "unx"), ElementsAre("[UNK]")) << "one piece for the whole word";
}

TEST(WordPiece, LongWordsAreUnknown) {
  WordPieceSpec spec;
  spec.vocab = {"[UNK]", "é", "##é"};
  spec.max_characters_per_word = 5;
  EXPECT_EQ(split(spec, "ééééé").size(), 5U);
  EXPECT_THAT(split(spec, "éééééé"), ElementsAre("[UNK]"));
}

TEST(WordPiece, HolesAreNotPieces) {
  WordPieceSpec spec;
  spec.vocab = {"[UNK]", "", "a"};
  EXPECT_EQ(FrozenModel(spec)->spelling(1), "");
  EXPECT_THAT(split(spec, "a"), ElementsAre("a"));
}

std::string message_of(const WordPieceSpec& spec) {
  try {
    FrozenModel(spec, "file");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

TEST(WordPiece, RefusesBadVocabularies) {
  WordPieceSpec spec;
  spec.vocab = {"a"};
  EXPECT_THAT(message_of(spec), HasSubstr("\"[UNK]\" is not in the vocabulary"));
  spec.vocab = {"[UNK]", "a", "b", "a"};
  EXPECT_THAT(message_of(spec), HasSubstr("\"a\" is in the vocabulary twice, with the ids 1 and 3"));
}

// The definition, word for word, on a plain list.
std::vector<std::string> plain_split(const WordPieceSpec& spec, const std::string& word) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t end = word.size();
    std::string piece;
    for (; end > begin; --end) {
      piece = (begin > 0 ? "##" : "") + word.substr(begin, end - begin);
      if (std::find(spec.vocab.begin(), spec.vocab.end(), piece) != spec.vocab.end()) break;
    }
    if (end == begin) return {"[UNK]"};
    pieces.push_back(piece);
    begin = end;
  }
  return pieces;
}

TEST(WordPiece, AgreesWithTheDefinitionOnRandomVocabularies) {
  std::mt19937 random(7);
  const auto random_word = [&](std::size_t longest) {
    std::string word(1 + random() % longest, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 3);
    return word;
  };
  std::size_t n_known = 0;
  for (int round = 0; round < 200; ++round) {
    WordPieceSpec spec;
    spec.vocab = {"[UNK]"};
    for (int i = 0; i < 25; ++i) {
      const std::string entry = (random() % 2 == 0 ? "##" : "") + random_word(4);
      if (std::find(spec.vocab.begin(), spec.vocab.end(), entry) == spec.vocab.end()) spec.vocab.push_back(entry);
    }
    for (int i = 0; i < 20; ++i) {
      const std::string word = random_word(10);
      const auto expected = plain_split(spec, word);
      EXPECT_EQ(split(spec, word), expected) << word;
      if (expected[0] != "[UNK]") ++n_known;
    }
  }
  EXPECT_GT(n_known, 1000U) << "too few words that split for this test to mean something";
}

}  // namespace
}  // namespace attnviz
