// unigram.h: the best segmentation against all segmentations, unknown characters, byte pieces.
#include "text/models/unigram.h"

#include <attnviz/error.h>

#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "frozen_model.h"

namespace attnviz {
namespace {

using Kind = PieceModel::PieceKind;
using Pieces = std::vector<PieceModel::Piece>;

Pieces encode(const UnigramSpec& spec, std::string_view text) {
  Pieces pieces;
  FrozenModel(spec)->encode(align_text(text), &pieces);
  return pieces;
}

std::vector<std::int32_t> ids(const Pieces& pieces) {
  std::vector<std::int32_t> out;
  for (const auto& piece : pieces) out.push_back(piece.id);
  return out;
}

using Ids = std::vector<std::int32_t>;

UnigramSpec small() { return {{{"<unk>", 0}, {"a", -3}, {"b", -3}, {"ab", -5}, {"abc", -7}, {"c", -1.5}, {"é", -2}}, 0, false}; }

TEST(Unigram, TakesTheMostProbable) {
  EXPECT_EQ(ids(encode(small(), "ab")), (Ids{3}));
  EXPECT_EQ(ids(encode(small(), "abc")), (Ids{3, 5}));  // -6.5 against -7 and -7.5
  EXPECT_TRUE(encode(small(), "").empty());
}

TEST(Unigram, FusesUnknownCharacters) {
  const Pieces pieces = encode(small(), "axyébz");
  EXPECT_EQ(ids(pieces), (Ids{1, 0, 6, 2, 0}));
  EXPECT_EQ(pieces[1].range.begin, 1U);
  EXPECT_EQ(pieces[1].range.end, 3U);
  EXPECT_EQ(pieces[1].kind, Kind::kUnknown);
  EXPECT_EQ(pieces[2].kind, Kind::kText);
}

TEST(Unigram, SpellsUnknownOnesInBytes) {
  UnigramSpec spec = small();
  spec.byte_fallback = true;
  spec.pieces.push_back({"<0xC3>", -20});
  spec.pieces.push_back({"<0xA4>", -20});
  const Pieces pieces = encode(spec, "aäb");
  EXPECT_EQ(ids(pieces), (Ids{1, 7, 8, 2}));
  EXPECT_EQ(pieces[2].kind, Kind::kByte);
  EXPECT_EQ(pieces[2].range.begin, 1U);
  EXPECT_EQ(ids(encode(spec, "ñ")), (Ids{0}));  // one of its bytes is missing
}

TEST(Unigram, OfEqualPiecesTheLastCounts) {
  const UnigramSpec spec{{{"<unk>", 0}, {"a", -1}, {"a", -2}}, 0, false};
  EXPECT_EQ(ids(encode(spec, "a")), (Ids{2}));
}

TEST(Unigram, NamesWhatCannotBe) {
  UnigramSpec spec = small();
  spec.unknown_id = std::nullopt;
  EXPECT_EQ(ids(encode(spec, "ab")), (Ids{3}));
  EXPECT_THROW(encode(spec, "x"), Error);
  spec.unknown_id = 7;
  EXPECT_THROW(FrozenModel{spec}, Error);
  spec.unknown_id = -1;
  EXPECT_THROW(FrozenModel{spec}, Error);
}

// All ways to cut a short text, tried one by one.
double best_by_trying(const UnigramSpec& spec, std::string_view text) {
  if (text.empty()) return 0;
  double best = -1e9;
  for (const UnigramPiece& piece : spec.pieces) {
    if (text.starts_with(piece.text)) best = std::max(best, piece.score + best_by_trying(spec, text.substr(piece.text.size())));
  }
  return best;
}

TEST(Unigram, NoSegmentationIsBetter) {
  std::mt19937 random(5);
  const auto word = [&](std::size_t longest) {
    std::string text;
    const std::size_t n = 1 + random() % longest;
    for (std::size_t i = 0; i < n; ++i) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    UnigramSpec spec{{{"a", -9}, {"b", -9}, {"c", -9}}, std::nullopt, false};
    for (int i = 0; i < 12; ++i) spec.pieces.push_back({word(4), -static_cast<double>(random() % 1000) / 77});
    std::map<std::string, double> scores;  // the last of equal ones
    for (const UnigramPiece& piece : spec.pieces) scores[piece.text] = piece.score;
    UnigramSpec distinct;
    for (const auto& [text, score] : scores) distinct.pieces.push_back({text, score});
    const std::string text = word(9);
    double sum = 0;
    for (const auto& piece : encode(spec, text)) sum += spec.pieces[static_cast<std::size_t>(piece.id)].score;
    EXPECT_NEAR(sum, best_by_trying(distinct, text), 1e-9) << text;
  }
}

}  // namespace
}  // namespace attnviz
