// Pooling against plain loops over the whole map, in blocks of any size and order and from several threads; and what it keeps.
#include "trace/pool.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/thread_pool.h"

namespace attnviz {
namespace {

using Map = std::vector<std::vector<float>>;  // [T, T]

Map random_map(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Map map(n, std::vector<float>(n));
  for (auto& row : map) {
    double sum = 0;
    for (float& weight : row) sum += static_cast<double>(weight = std::exp(std::uniform_real_distribution<float>(-20, 0)(random)));
    for (float& weight : row) weight = static_cast<float>(weight / sum);
  }
  return map;
}

TapBlock block_of(const std::vector<float>& values, std::size_t row_begin, std::size_t n_rows, std::size_t n_columns) {
  return {TapKind::kPattern, 0, 0, 0, row_begin, n_rows, n_columns, values.data(), n_columns};
}

void add_rows(const Map& map, std::size_t begin, std::size_t end, PooledCells* cells) {
  std::vector<float> values;
  for (std::size_t row = begin; row < end; ++row) values.insert(values.end(), map[row].begin(), map[row].end());
  cells->add(block_of(values, begin, end - begin, map.size()));
}

// What a tile should say, in double.
std::vector<double> plainly(const Map& map, const MapShape& shape) {
  std::vector<double> cells;
  for (std::size_t row = shape.rows.begin; row < shape.rows.end; row += shape.row_side) {
    for (std::size_t column = shape.columns.begin; column < shape.columns.end; column += shape.column_side) {
      double largest = 0;
      double sum = 0;
      std::size_t n = 0;
      for (std::size_t r = row; r < std::min(row + shape.row_side, shape.rows.end); ++r) {
        for (std::size_t c = column; c < std::min(column + shape.column_side, shape.columns.end); ++c, ++n) {
          largest = std::max(largest, static_cast<double>(map[r][c]));
          sum += static_cast<double>(map[r][c]);
        }
      }
      cells.push_back(shape.by == PoolBy::kMax ? largest : sum / static_cast<double>(n));
    }
  }
  return cells;
}

TEST(PooledCells, EqualPlainLoopsForEveryShapeAndBlock) {
  for (const std::size_t n : {1, 7, 48, 100}) {
    const Map map = random_map(n, 1);
    for (const std::size_t pool : {1, 3, 10, 47, 100}) {
      for (const PoolBy by : {PoolBy::kMax, PoolBy::kMean}) {
        for (const TokenSpan rows : {TokenSpan{0, n}, TokenSpan{n / 3, n - n / 4}}) {
          const MapShape shape = shape_map({.rows = rows, .columns = TokenSpan{n / 5, n}, .pool = pool, .by = by}, n);
          for (const std::size_t block : {1, 5, 48, 1000}) {
            PooledCells cells(shape);
            for (std::size_t begin = 0; begin < n; begin += block) add_rows(map, begin, std::min(n, begin + block), &cells);
            const WeightArray found = cells.take();
            const std::vector<double> expected = plainly(map, shape);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
              // A maximum is exact; a mean is the f32 next to the true one, and absolutely never further off than fixed point.
              const double tolerance = by == PoolBy::kMax ? 0 : expected[i] * 1e-7 + 1e-14;
              ASSERT_NEAR(static_cast<double>(found[i]), expected[i], tolerance) << n << ' ' << pool << ' ' << block;
            }
          }
        }
      }
    }
  }
}

TEST(PooledCells, AreTheSameBitsInAnyOrderAndFromAnyThreads) {
  constexpr std::size_t kTokens = 500;
  constexpr std::size_t kBlock = 48;
  const Map map = random_map(kTokens, 2);
  for (const PoolBy by : {PoolBy::kMax, PoolBy::kMean}) {
    const MapShape shape = shape_map({.pool = 16, .by = by}, kTokens);
    PooledCells in_order(shape);
    for (std::size_t begin = 0; begin < kTokens; begin += kBlock)
      add_rows(map, begin, std::min(kTokens, begin + kBlock), &in_order);
    for (const std::size_t n_threads : {1, 2, 4}) {
      PooledCells cells(shape);
      ThreadPool threads(n_threads);
      constexpr std::size_t kBlocks = (kTokens + kBlock - 1) / kBlock;
      threads.run(kBlocks, [&](std::size_t i, std::size_t) {
        const std::size_t begin = (kBlocks - 1 - i) * kBlock;
        add_rows(map, begin, std::min(kTokens, begin + kBlock), &cells);
      });
      EXPECT_EQ(cells.take(), in_order.take());
    }
  }
}

TEST(PooledCells, NoRowIsLostWhereThreadsMeet) {
  constexpr std::size_t kTokens = 500000;
  std::vector<float> row(64, 1.0F / 64);  // every thread adds to the same few tiles all the time
  const MapShape shape{.rows = {0, kTokens}, .columns = {0, 64}, .row_side = kTokens, .column_side = 8, .by = PoolBy::kMean};
  ThreadPool threads(4);
  PooledCells cells(shape);
  threads.run(kTokens, [&](std::size_t i, std::size_t) { cells.add(block_of(row, i, 1, row.size())); });
  EXPECT_EQ(cells.take(), std::vector<float>(8, 1.0F / 64));
}

TEST(PooledCells, SumsOfLongTextsDoNotOverflow) {
  constexpr std::size_t kTokens = 1000000;
  const MapShape shape{.rows = {0, kTokens}, .columns = {0, 2}, .row_side = kTokens, .column_side = 2, .by = PoolBy::kMean};
  PooledCells cells(shape);
  const std::vector<float> row{1, 0};  // as much as a row can hold
  for (std::size_t i = 0; i < kTokens; ++i) cells.add(block_of(row, i, 1, row.size()));
  EXPECT_EQ(cells.take().front(), 0.5F);
}

TEST(PooledCells, KeepNoMoreForALongerText) {
  const auto kept = [](std::size_t n_token, PoolBy by) {
    return PooledCells(shape_map({.pool = 512, .by = by}, n_token)).kept_bytes();
  };
  for (const PoolBy by : {PoolBy::kMax, PoolBy::kMean}) {
    EXPECT_LE(kept(8192, by), 512U * 512 * 8);
    EXPECT_EQ(kept(8192, by), kept(16384, by));
    EXPECT_LE(kept(100000, by), 512U * 512 * 8);
  }
}

TEST(PooledCells, DoNotHideWhatIsNotANumber) {
  for (const PoolBy by : {PoolBy::kMax, PoolBy::kMean}) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
      Map map = random_map(60, 3);
      map[31][7] = bad;
      PooledCells cells(shape_map({.pool = 8, .by = by}, 60));
      add_rows(map, 0, 60, &cells);
      EXPECT_THROW(cells.take(), Error);
      PooledCells beside(shape_map({.rows = TokenSpan{0, 31}, .pool = 8, .by = by}, 60));
      add_rows(map, 0, 60, &beside);
      EXPECT_NO_THROW(beside.take());
    }
  }
}

}  // namespace
}  // namespace attnviz
