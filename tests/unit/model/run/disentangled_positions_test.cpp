// The row of every distance: against the reference's buckets for several tables, and clamped where there are none.
#include "model/run/disentangled_positions.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "parity/golden.h"

namespace attnviz {
namespace {

TEST(DisentangledPositions, EveryDistanceHasTheReferencesRow) {
  const Golden golden(std::string(ATTNVIZ_TEST_DIR) + "/parity/data/log_buckets.safetensors");
  const auto settings = golden.read<std::int32_t>("settings");    // [N, 2] buckets, largest distance
  const auto distances = golden.read<std::int32_t>("distances");  // [M]
  const auto buckets = golden.read<std::int32_t>("buckets");      // [N, M]
  ASSERT_EQ(buckets.size(), settings.size() / 2 * distances.size());
  ASSERT_EQ(settings.size(), 14u);
  for (std::size_t n = 0; 2 * n < settings.size(); ++n) {
    DisentangledSpec spec;
    spec.log_buckets = true;
    spec.span = static_cast<std::size_t>(settings[2 * n]);
    spec.max_distance = static_cast<std::size_t>(settings[2 * n + 1]);
    const std::int64_t last = 2 * settings[2 * n] - 1;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const std::int64_t expected = std::clamp<std::int64_t>(buckets[n * distances.size() + i] + settings[2 * n], 0, last);
      EXPECT_EQ(static_cast<std::int64_t>(distance_row(spec, distances[i])), expected)
          << spec.span << " buckets to " << spec.max_distance << ", distance " << distances[i];
    }
  }
}

TEST(DisentangledPositions, WithoutBucketsDistancesAreClampedToTheTable) {
  DisentangledSpec spec;
  spec.span = 5;
  EXPECT_EQ(distance_row(spec, 0), 5u);
  EXPECT_EQ(distance_row(spec, 4), 9u);
  EXPECT_EQ(distance_row(spec, 5), 9u);
  EXPECT_EQ(distance_row(spec, -5), 0u);
  EXPECT_EQ(distance_row(spec, -600), 0u);
}

// The table's used part is a run of rows, which needs rows to rise with the distance.
TEST(DisentangledPositions, RowsRiseWithTheDistance) {
  for (const bool log_buckets : {false, true}) {
    for (const std::size_t span : {4, 5, 6, 7, 8, 31, 256}) {
      DisentangledSpec spec;
      spec.span = span;
      spec.log_buckets = log_buckets;
      spec.max_distance = 2 * span + 1;
      for (std::ptrdiff_t distance = -700; distance < 700; ++distance) {
        ASSERT_LE(distance_row(spec, distance), distance_row(spec, distance + 1)) << span << ", " << distance;
      }
    }
  }
}

}  // namespace
}  // namespace attnviz
