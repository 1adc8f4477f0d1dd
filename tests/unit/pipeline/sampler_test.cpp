// Which token is picked: ties, temperatures, top-k, seeds, scores that are not numbers.
#include "pipeline/sampler.h"

#include <attnviz/error.h>

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::vector<float> kLogits = {0.0F, 2.0F, -1.0F, 2.0F, 1.0F};

// How often each id comes in n draws.
std::vector<std::size_t> draw(const SamplingOptions& options, std::size_t n) {
  Sampler sampler(options);
  std::vector<std::size_t> counts(kLogits.size());
  for (std::size_t i = 0; i < n; ++i) ++counts.at(static_cast<std::size_t>(sampler.pick(kLogits)));
  return counts;
}

TEST(Sampler, GreedyTakesTheFirstOfEquals) { EXPECT_EQ(Sampler({}).pick(kLogits), 1); }

TEST(Sampler, DrawsAsSoftmaxSays) {
  const std::size_t n = 40000;
  const std::vector<std::size_t> counts = draw({.temperature = 0.7, .seed = 5}, n);
  double sum = 0;
  for (const float logit : kLogits) sum += std::exp(static_cast<double>(logit) / 0.7);
  for (std::size_t id = 0; id < kLogits.size(); ++id) {
    const double share = std::exp(static_cast<double>(kLogits[id]) / 0.7) / sum;
    // Four standard deviations of a share of n draws.
    EXPECT_NEAR(static_cast<double>(counts[id]) / n, share, 4 * std::sqrt(share * (1 - share) / n)) << id;
  }
}

TEST(Sampler, TopKLeavesOutTheRest) {
  const std::vector<std::size_t> counts = draw({.temperature = 3, .top_k = 3, .seed = 1}, 2000);
  EXPECT_EQ(counts[0], 0U);
  EXPECT_EQ(counts[2], 0U);
  EXPECT_GT(counts[4], 0U);
  const std::vector<std::size_t> one = draw({.temperature = 3, .top_k = 1, .seed = 1}, 50);
  EXPECT_EQ(one[1], 50U);  // of equals the lower id
}

TEST(Sampler, TheSeedDecides) {
  const SamplingOptions options{.temperature = 1, .seed = 42};
  EXPECT_EQ(draw(options, 100), draw(options, 100));
  EXPECT_NE(draw(options, 100), draw({.temperature = 1, .seed = 43}, 100));
  Sampler sampler(options);
  std::vector<std::int32_t> first;
  for (int i = 0; i < 12; ++i) first.push_back(sampler.pick(kLogits));
  EXPECT_EQ(first, (std::vector<std::int32_t>{3, 3, 3, 1, 4, 1, 3, 1, 1, 1, 0, 3}))
      << "drawn numbers must not depend on the machine";
}

TEST(Sampler, LowTemperaturesDoNotOverflow) {
  EXPECT_EQ(draw({.temperature = 1e-30, .seed = 3}, 64)[0], 0U);
  EXPECT_EQ(draw({.temperature = 1e-30, .seed = 3}, 64)[4], 0U);
}

TEST(Sampler, ScoresMustBeNumbers) {
  EXPECT_THROW(Sampler({}).pick(std::vector<float>{1, std::nanf(""), 2}), Error);
  EXPECT_THROW(Sampler({}).pick(std::vector<float>{-kInfinity, -kInfinity}), Error);
  EXPECT_EQ(Sampler({}).pick(std::vector<float>{-kInfinity, -3}), 1);
}

}  // namespace
}  // namespace attnviz
