// sentencepiece_bpe.h: joining by score, user-defined and unused pieces, what has no piece.
#include "text/models/sentencepiece_bpe.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

#include "frozen_model.h"

namespace attnviz {
namespace {

using Type = SpmPiece::Type;
using Kind = PieceModel::PieceKind;
using Pieces = std::vector<PieceModel::Piece>;
using Ids = std::vector<std::int32_t>;

SpmSpec small() {
  return {{{"<unk>", 0, Type::kUnknown},
           {"<s>", 0, Type::kControl},
           {"ab", -1},
           {"bc", -0.5F},
           {"abc", -3},
           {"a", -9},
           {"b", -9},
           {"c", -9},
           {"aa", -2}}};
}

Pieces encode(const SpmSpec& spec, std::string_view text) {
  Pieces pieces;
  FrozenModel(spec)->encode(align_text(text), &pieces);
  return pieces;
}

Ids ids(const Pieces& pieces) {
  Ids out;
  for (const auto& piece : pieces) out.push_back(piece.id);
  return out;
}

TEST(SentencePieceBpe, JoinsTheHighestScoreFirst) {
  EXPECT_EQ(ids(encode(small(), "abc")), (Ids{4}));  // "bc", then "abc"
  EXPECT_EQ(ids(encode(small(), "abab")), (Ids{2, 2}));
  EXPECT_EQ(ids(encode(small(), "aaa")), (Ids{8, 5}));  // of equals the left one
  EXPECT_EQ(ids(encode(small(), "aabcc")), (Ids{8, 3, 7}));
  EXPECT_TRUE(encode(small(), "").empty());
}

TEST(SentencePieceBpe, AControlPieceIsNotText) { EXPECT_EQ(ids(encode(small(), "<s>")), (Ids{0})); }

TEST(SentencePieceBpe, FusesUnknownCharacters) {
  const Pieces pieces = encode(small(), "axyb");
  EXPECT_EQ(ids(pieces), (Ids{5, 0, 6}));
  EXPECT_EQ(pieces[1].range.end, 3U);
  EXPECT_EQ(pieces[1].kind, Kind::kUnknown);
}

TEST(SentencePieceBpe, SpellsUnknownOnesInBytes) {
  SpmSpec spec = small();
  for (int byte = 0; byte < 256; ++byte) {
    spec.pieces.push_back({byte_piece_name(static_cast<std::uint8_t>(byte)), 0, Type::kByte});
  }
  EXPECT_EQ(ids(encode(spec, "aé")), (Ids{5, 9 + 0xC3, 9 + 0xA9}));
  EXPECT_EQ(ids(encode(spec, "<0x41>")).size(), 6U);  // typed, it is text
}

TEST(SentencePieceBpe, AUserDefinedPieceIsNeverJoined) {
  SpmSpec spec = small();
  spec.pieces.push_back({"b", 0, Type::kUserDefined});
  spec.pieces.push_back({"bca", 0, Type::kUserDefined});
  EXPECT_EQ(ids(encode(spec, "abc")), (Ids{5, 9, 7}));
  EXPECT_EQ(ids(encode(spec, "abca")), (Ids{5, 10}));  // the longest
}

TEST(SentencePieceBpe, AnUnusedPieceIsTakenApart) {
  SpmSpec spec = small();
  spec.pieces[4].type = Type::kUnused;
  EXPECT_EQ(ids(encode(spec, "abc")), (Ids{5, 3}));
  spec.pieces[3].type = Type::kUnused;
  EXPECT_EQ(ids(encode(spec, "abc")), (Ids{5, 6, 7}));
}

TEST(SentencePieceBpe, NeedsAnUnknownPieceOrAllBytes) {
  SpmSpec spec = small();
  spec.pieces.erase(spec.pieces.begin());
  EXPECT_THROW(FrozenModel{spec}, Error);
  spec.drop_unknown = true;
  EXPECT_EQ(ids(encode(spec, "axyb")), (Ids{4, 5}));
}

TEST(SentencePieceBpe, AnUnknownCharacterMayStandInPieces) {
  SpmSpec spec = small();
  spec.pieces.push_back({"xy", -1});
  const Pieces pieces = encode(spec, "zxyxa");  // only "xy" has a piece, "x" has none
  EXPECT_EQ(ids(pieces), (Ids{0, 9, 0, 5}));
  EXPECT_EQ(pieces[1].range.begin, 1U);
  EXPECT_EQ(pieces[2].range.end, 4U);
  EXPECT_EQ(ids(encode(spec, "zxxa")), (Ids{0, 5}));  // one run, whoever found it unknown
}

// What hostile files may hold that the library by itself refuses, or runs over.
TEST(SentencePieceBpe, OddVocabulariesAreServed) {
  SpmSpec spec = small();
  spec.pieces.push_back({"", 0});
  spec.pieces.push_back({"ab", -1});  // a second one; the last counts
  spec.pieces.push_back({"<unk2>", 0, Type::kUnknown});
  spec.pieces.push_back({"<0x41>", 0, Type::kByte});
  spec.pieces.push_back({"<0xZZ>", 0, Type::kByte});
  spec.pieces.push_back({std::string("\0", 1), 0});
  spec.pieces.push_back({std::string("\0a", 2), -1});
  EXPECT_EQ(ids(encode(spec, "abA")), (Ids{10, 12}));
  EXPECT_EQ(ids(encode(spec, "x")), (Ids{11}));
  EXPECT_EQ(ids(encode(spec, std::string_view("b\0a\0", 4))), (Ids{6, 15, 14}));
  std::string run;
  for (int i = 0; i < 200; ++i) spec.pieces.push_back({run += 'u', 0, Type::kUserDefined});  // 200 that begin at one place
  EXPECT_EQ(ids(encode(spec, run + "a")), (Ids{16 + 199, 5}));
}

}  // namespace
}  // namespace attnviz
