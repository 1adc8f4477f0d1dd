// The tap that keeps maps, fed with blocks as the engine makes them: every sequence, layer and head finds its own place, and a long
// text costs what is kept of it.
#include "pipeline/taps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

constexpr std::size_t kBlock = 48;

// A weight that tells where it came from.
float weight_at(std::size_t sequence, std::size_t layer, std::size_t head, std::size_t query_pos, std::size_t key_pos) {
  return static_cast<float>((((sequence * 7 + layer) * 7 + head) * 128 + query_pos) * 128 + key_pos) / 16777216.0F;
}

TokenBatch batch_of(const std::vector<std::size_t>& lengths) {
  TokenBatch batch;
  for (const std::size_t length : lengths) batch.append(std::vector<Token>(length));
  return batch;
}

void feed(const TokenBatch& batch, const Request& request, Tap* tap) {
  std::vector<float> values;
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    const std::size_t n = batch.offsets[sequence + 1] - batch.offsets[sequence];
    for (const std::size_t layer : request.layers) {
      for (const std::size_t head : request.heads) {
        for (std::size_t begin = 0; begin < n; begin += kBlock) {
          const std::size_t n_rows = std::min(kBlock, n - begin);
          values.assign(n_rows * (n + 3), -1);  // rows further apart than they are long
          for (std::size_t r = 0; r < n_rows; ++r) {
            for (std::size_t key = 0; key < n; ++key) values[r * (n + 3) + key] = weight_at(sequence, layer, head, begin + r, key);
          }
          tap->on_block({TapKind::kPattern, sequence, layer, head, begin, n_rows, n, values.data(), n + 3});
        }
      }
    }
  }
}

TEST(MapTap, KeepsTheLogSumsOfScoresOnRequest) {
  const TokenBatch batch = batch_of({3});
  const Request request{{1}, {2}};
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  const std::vector<float> scores{0, kMasked, kMasked, 1000, 1000, kMasked, kMasked, kMasked, kMasked};
  const TapBlock block{TapKind::kScores, 0, 1, 2, 0, 3, 3, scores.data(), 3};

  MapTap plain(batch, request, {});
  EXPECT_FALSE(plain.wants(TapKind::kScores));
  EXPECT_TRUE(plain.take(0)[0].log_sums.empty());

  MapTap whole(batch, request, {.log_sums = true});
  EXPECT_TRUE(whole.wants(TapKind::kScores));
  whole.on_block(block);
  const std::vector<float> sums = whole.take(0)[0].log_sums;
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0], 0.0F);
  EXPECT_NEAR(sums[1], 1000 + std::log(2.0), 1e-4) << "as large as scores may be";
  EXPECT_EQ(sums[2], kMasked) << "nothing to attend to";

  MapTap part(batch, request, {.rows = TokenSpan{1, 2}, .log_sums = true});
  part.on_block(block);
  EXPECT_EQ(part.take(0)[0].log_sums, std::vector<float>{sums[1]});
  EXPECT_FALSE(MapTap(batch, request, {.pool = 2, .log_sums = true}).wants(TapKind::kScores));
}

TEST(MapTap, PutsEveryBlockInItsPlace) {
  const TokenBatch batch = batch_of({100, 1, 50});
  const Request request{{1, 3}, {0, 2, 5}};
  MapTap tap(batch, request, {});
  feed(batch, request, &tap);
  for (std::size_t sequence = 0; sequence < 3; ++sequence) {
    const std::vector<AttentionMap> maps = tap.take(sequence);
    ASSERT_EQ(maps.size(), 6U);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      EXPECT_EQ(maps[i].layer, request.layers[i / 3]);
      EXPECT_EQ(maps[i].head, request.heads[i % 3]);
      for (std::size_t query = 0; query < maps[i].n_query; ++query) {
        for (std::size_t key = 0; key < maps[i].n_key; ++key) {
          ASSERT_EQ(maps[i].at(query, key), weight_at(sequence, maps[i].layer, maps[i].head, query, key));
        }
      }
    }
  }
}

TEST(MapTap, KeepsTheSpansOfRowsAndColumns) {
  const TokenBatch batch = batch_of({120});
  const Request request{{0}, {0}};
  for (const TokenSpan rows : {TokenSpan{0, 1}, TokenSpan{47, 49}, TokenSpan{50, 120}, TokenSpan{0, 120}}) {
    for (const TokenSpan columns : {TokenSpan{119, 120}, TokenSpan{3, 90}}) {
      MapTap tap(batch, request, {.rows = rows, .columns = columns});
      EXPECT_EQ(tap.kept_bytes(), rows.size() * columns.size() * sizeof(float));
      feed(batch, request, &tap);
      const AttentionMap map = tap.take(0)[0];
      ASSERT_EQ(map.n_query, rows.size());
      ASSERT_EQ(map.n_key, columns.size());
      for (std::size_t row = 0; row < map.n_query; ++row) {
        for (std::size_t column = 0; column < map.n_key; ++column) {
          ASSERT_EQ(map.at(row, column), weight_at(0, 0, 0, rows.begin + row, columns.begin + column));
        }
      }
    }
  }
}

TEST(MapTap, PoolsOnlyTextsThatAreLonger) {
  const TokenBatch batch = batch_of({100, 10});
  const Request request{{0}, {1}};
  MapTap tap(batch, request, {.pool = 10});
  feed(batch, request, &tap);
  EXPECT_TRUE(tap.shape(0).pooled());
  EXPECT_FALSE(tap.shape(1).pooled());
  EXPECT_EQ(tap.take(0)[0].at(3, 4), weight_at(0, 0, 1, 39, 49));  // the largest of its tile
  EXPECT_EQ(tap.take(1)[0].at(3, 4), weight_at(1, 0, 1, 3, 4));
}

TEST(MapTap, APartOfAHundredThousandTokensCostsThatPart) {
  const TokenBatch batch = batch_of({100000});
  const Request request{{0}, {0}};
  EXPECT_EQ(MapTap(batch, request, {.rows = TokenSpan{7, 9}}).kept_bytes(), 2 * 100000 * sizeof(float));
  EXPECT_LE(MapTap(batch, request, {.pool = 512}).kept_bytes(), 512U * 512 * 8);
  MapTap tap(batch, request, {.pool = 64});
  std::vector<float> row(100000);
  for (const std::size_t query : {0, 54321, 99999}) {
    row[query] = 0.5F;
    tap.on_block({TapKind::kPattern, 0, 0, 0, query, 1, row.size(), row.data(), row.size()});
    row[query] = 0;
  }
  const AttentionMap map = tap.take(0)[0];
  EXPECT_EQ(std::count(map.pattern.begin(), map.pattern.end(), 0.5F), 3);
  EXPECT_EQ(map.at(54321 / 1563, 54321 / 1563), 0.5F);
}

}  // namespace
}  // namespace attnviz
