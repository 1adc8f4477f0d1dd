// Rows that come step by step are shown again as whole maps.
#include "pipeline/stitch.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

struct Seen final : Tap {
  bool wants(TapKind) const override { return true; }
  void on_block(const TapBlock& block) override {
    for (std::size_t r = 0; r < block.n_rows; ++r) {
      EXPECT_EQ(block.row_begin + r, n_rows % block.n_columns);  // in order, map by map
      ++n_rows;
      const auto row = block.row(r);
      values.insert(values.end(), row.begin(), row.end());
      places.push_back(block.layer * 100 + block.head);
    }
  }
  std::size_t n_rows = 0;
  std::vector<float> values;
  std::vector<std::size_t> places;
};

struct Block {
  std::size_t begin;
  std::size_t n;
  std::size_t n_columns;
};

// Rows [begin, begin + n) over n_columns keys; weight 1000 * layer + 100 * head + 10 * row + column where it is seen.
void show(StitchTap* tap, std::size_t layer, std::size_t head, const Block& block) {
  const auto [begin, n, n_columns] = block;
  std::vector<float> rows(n * n_columns);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= begin + r; ++c) {
      rows[r * n_columns + c] = static_cast<float>(1000 * layer + 100 * head + 10 * (begin + r) + c);
    }
  }
  tap->on_block({TapKind::kPattern, 0, layer, head, begin, n, n_columns, rows.data(), n_columns});
}

TEST(StitchTap, StepsBecomeTriangles) {
  const Request request{{2, 5}, {1}};
  StitchTap tap(request, 6);
  for (const std::size_t layer : {5, 2}) {
    show(&tap, layer, 1, {1, 2, 3});  // blocks of the prompt in any order
    show(&tap, layer, 1, {0, 1, 3});
    show(&tap, layer, 1, {3, 1, 4});
    show(&tap, layer, 1, {4, 1, 5});
  }
  Seen seen;
  tap.replay(5, seen);  // one token fewer than there was room for
  EXPECT_EQ(seen.n_rows, 10U);
  EXPECT_EQ(seen.places, (std::vector<std::size_t>{201, 201, 201, 201, 201, 501, 501, 501, 501, 501}));
  for (std::size_t map = 0; map < 2; ++map) {
    for (std::size_t row = 0; row < 5; ++row) {
      for (std::size_t column = 0; column < 5; ++column) {
        const float expected = column > row ? 0.0F : static_cast<float>((map == 0 ? 2000 : 5000) + 100 + 10 * row + column);
        EXPECT_EQ(seen.values.at(map * 25 + row * 5 + column), expected);
      }
    }
  }
  EXPECT_EQ(StitchTap::n_weights(request, 6), 42U);
}

TEST(StitchTap, LongTextsComeInBlocks) {
  const Request request{{0}, {0}};
  StitchTap tap(request, 100);
  show(&tap, 0, 0, {0, 70, 70});
  for (std::size_t row = 70; row < 100; ++row) show(&tap, 0, 0, {row, 1, row + 1});
  Seen seen;
  tap.replay(100, seen);
  ASSERT_EQ(seen.n_rows, 100U);
  EXPECT_EQ(seen.values[99 * 100 + 99], 1089.0F);
  EXPECT_EQ(seen.values[33 * 100 + 12], 342.0F);
  EXPECT_EQ(seen.values[33 * 100 + 34], 0.0F);
}

}  // namespace
}  // namespace attnviz
