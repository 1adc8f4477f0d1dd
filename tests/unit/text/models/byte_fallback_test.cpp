// byte_fallback.h
#include "text/models/byte_fallback.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(ByteFallback, NamesItsPieces) {
  EXPECT_EQ(byte_piece_name(0), "<0x00>");
  EXPECT_EQ(byte_piece_name(0xE4), "<0xE4>");
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    EXPECT_EQ(byte_of_piece(byte_piece_name(value)), value);
  }
  for (const char* other : {"", "<0xE4", "<0xe4>", "<0xG0>", "<0x0G>", "(0xE4>", "<0xE4>>"})
    EXPECT_EQ(byte_of_piece(other), std::nullopt);
}

TEST(ByteFallback, GivesEachByteItsCharactersPlace) {
  ByteFallback bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.set(static_cast<std::uint8_t>(byte), 1000 + byte);
  std::vector<PieceModel::Piece> pieces;
  ASSERT_TRUE(bytes.append(align_text("aé日"), {1, 3}, &pieces));
  const std::vector<int> expected = {0xC3, 0xA9, 0xE6, 0x97, 0xA5};
  ASSERT_EQ(pieces.size(), expected.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].id, 1000 + expected[i]);
    EXPECT_EQ(pieces[i].range.begin, i < 2 ? 1U : 2U);
    EXPECT_EQ(pieces[i].range.end, i < 2 ? 2U : 3U);
    EXPECT_EQ(pieces[i].kind, PieceModel::PieceKind::kByte);
  }
}

TEST(ByteFallback, AllOrNothing) {
  ByteFallback bytes;
  bytes.set(0xC3, 7);
  std::vector<PieceModel::Piece> pieces(1);
  EXPECT_FALSE(bytes.append(align_text("é"), {0, 1}, &pieces));
  EXPECT_EQ(pieces.size(), 1U);
}

}  // namespace
}  // namespace attnviz
