// Shapes of parts and tiles: sizes, names, notes, and the limits.
#include "trace/spans.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ShapeMap, KeepsEverythingUnlessTold) {
  const MapShape shape = shape_map({}, 9);
  EXPECT_EQ(shape.rows, (TokenSpan{0, 9}));
  EXPECT_EQ(shape.columns, (TokenSpan{0, 9}));
  EXPECT_FALSE(shape.pooled());
  EXPECT_EQ(shape.n_rows() * shape.n_columns(), 81U);
}

TEST(ShapeMap, NeverMakesMoreTilesThanAskedFor) {
  for (std::size_t n_token = 1; n_token <= 200; ++n_token) {
    for (std::size_t pool = 1; pool <= 210; ++pool) {
      const MapShape shape = shape_map({.pool = pool}, n_token);
      ASSERT_LE(shape.n_rows(), pool);
      ASSERT_GE(shape.n_rows() * shape.row_side, n_token);
      ASSERT_EQ(shape.pooled(), n_token > pool);
    }
  }
}

TEST(ShapeMap, PoolsEachSideOfASpanByItsOwnLength) {
  const MapShape shape = shape_map({.rows = TokenSpan{10, 12}, .columns = TokenSpan{0, 100}, .pool = 30}, 200);
  EXPECT_EQ(shape.row_side, 1U);
  EXPECT_EQ(shape.column_side, 4U);
  EXPECT_EQ(shape.n_rows(), 2U);
  EXPECT_EQ(shape.n_columns(), 25U);
}

TEST(ShapeMap, RefusesSpansThatLeaveTheText) {
  EXPECT_THROW(shape_map({.rows = TokenSpan{3, 3}}, 9), Error);
  EXPECT_THROW(shape_map({.columns = TokenSpan{3, 10}}, 9), Error);
}

std::string size_message(const MapChoice& choice, std::size_t n_token, std::size_t n_map) {
  try {
    check_map_size(shape_map(choice, n_token), n_map);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

TEST(CheckMapSize, RefusesWhatNobodyCanLookAt) {
  EXPECT_EQ(size_message({}, 4096, 1), "");
  EXPECT_EQ(size_message({}, 512, 72), "");
  EXPECT_THAT(size_message({}, 4097, 1), AllOf(HasSubstr("4097 x 4097"), HasSubstr("try pool 512"), HasSubstr("focus")));
  EXPECT_THAT(size_message({}, 4096, 12), AllOf(HasSubstr("12 maps"), HasSubstr("layer and head")));
  EXPECT_THAT(size_message({}, std::size_t{1} << 40, 1), HasSubstr("try pool 512"));
}

TEST(CheckMapSize, LetsCheapOnesThrough) {
  EXPECT_EQ(size_message({.pool = 512}, 1000000, 72), "");
  EXPECT_EQ(size_message({.rows = TokenSpan{5, 6}}, 100000, 72), "");
}

TEST(AxisTokens, AreTheSpansOwnOrTheFirstOfEachTile) {
  std::vector<Token> tokens(10);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i].id = static_cast<std::int32_t>(i);
  tokens[0].kind = tokens[9].kind = TokenKind::kSpecial;
  std::vector<std::size_t> positions;
  std::vector<std::size_t> sizes;
  for (const Token& token : axis_tokens(tokens, {0, 10}, 4)) {
    positions.push_back(*token.position);
    sizes.push_back(token.n_tokens);
    EXPECT_EQ(token.kind, TokenKind::kWord) << "a tile with a word in it is no special token";
    EXPECT_EQ(token.id, static_cast<std::int32_t>(*token.position));
  }
  EXPECT_THAT(positions, ElementsAre(0, 4, 8));
  EXPECT_THAT(sizes, ElementsAre(4, 4, 2));
  EXPECT_EQ(axis_tokens(tokens, {9, 10}, 1)[0].kind, TokenKind::kSpecial);
}

TEST(ShapeNotes, SayWhatIsLeftOutAndPooled) {
  const auto notes = [](const MapChoice& choice) { return shape_notes(choice, shape_map(choice, 57), {57, 57}); };
  EXPECT_THAT(notes({}), IsEmpty());
  EXPECT_THAT(notes({.pool = 57}), IsEmpty());
  EXPECT_THAT(notes({.rows = TokenSpan{0, 57}}), IsEmpty());
  EXPECT_THAT(notes({.rows = TokenSpan{10, 21}, .columns = TokenSpan{4, 5}}),
              ElementsAre("queries @10 to @20 of 57 tokens", "key @4 of 57 tokens"));
  EXPECT_THAT(notes({.pool = 10, .by = PoolBy::kMean}), ElementsAre("pooled: mean over tiles of 6 × 6 tokens"));
}

}  // namespace
}  // namespace attnviz
