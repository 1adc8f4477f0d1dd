// Relative position buckets: every distance up to 600 as the reference has it, and the spread over a distance table.
#include "model/run/relative_bias.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "parity/golden.h"

namespace attnviz {
namespace {

constexpr RelativeBiasSpec kSpec{.n_buckets = 32, .max_distance = 128, .bidirectional = true};

TEST(RelativeBias, EveryDistanceFallsIntoTheReferencesBucket) {
  const Golden golden(std::string(ATTNVIZ_TEST_DIR) + "/parity/data/relative_buckets.safetensors");
  const auto distances = golden.read<std::int32_t>("distances");
  const auto buckets = golden.read<std::int32_t>("buckets");
  ASSERT_EQ(distances.size(), 1201u);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    EXPECT_EQ(relative_bucket(kSpec, distances[i]), static_cast<std::size_t>(buckets[i])) << distances[i];
  }
}

TEST(RelativeBias, CausalRuleIgnoresKeysAfterTheQuery) {
  const RelativeBiasSpec causal{.n_buckets = 8, .max_distance = 16, .bidirectional = false};
  EXPECT_EQ(relative_bucket(causal, 5), 0u);
  EXPECT_EQ(relative_bucket(causal, -3), 3u);
  EXPECT_EQ(relative_bucket(causal, -1000), 7u);
}

TEST(RelativeBias, TableIsSpreadByHeadAndDistance) {
  const std::size_t n_head = 3, n_distance = 40;
  std::vector<float> table(kSpec.n_buckets * n_head);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const std::vector<float> bias = distance_bias(kSpec, table.data(), n_head, n_distance);
  ASSERT_EQ(bias.size(), n_head * 79);
  for (std::ptrdiff_t distance = -39; distance <= 39; ++distance) {
    const std::size_t bucket = relative_bucket(kSpec, distance);
    EXPECT_EQ(bias[2 * 79 + static_cast<std::size_t>(distance + 39)], static_cast<float>(bucket * n_head + 2));
  }
}

}  // namespace
}  // namespace attnviz
