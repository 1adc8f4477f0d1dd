// Rotary frequencies against their definitions; whole models with each scaling: tests/parity.
#include "model/rope_scaling.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(RopeScaling, PlainFrequenciesFallGeometrically) {
  const std::vector<float> frequencies = rope_frequencies(10000, 64);
  ASSERT_EQ(frequencies.size(), 32u);
  EXPECT_EQ(frequencies[0], 1.0f);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_FLOAT_EQ(frequencies[i], static_cast<float>(std::pow(10000.0, -2.0 * i / 64)));
}

TEST(RopeScaling, Llama3KeepsShortWavesAndStretchesLongOnes) {
  const std::vector<float> plain = rope_frequencies(500000, 64);
  std::vector<float> scaled = plain;
  scale_bands({.factor = 8, .low_freq_factor = 1, .high_freq_factor = 4, .n_original = 8192}, &scaled);
  EXPECT_EQ(scaled[0], plain[0]);
  EXPECT_FLOAT_EQ(scaled[31], plain[31] / 8);
  for (std::size_t i = 0; i < 32; ++i) {
    const double wave = 2 * M_PI / plain[i];
    if (wave < 8192.0 / 4) {
      EXPECT_EQ(scaled[i], plain[i]);
    } else if (wave > 8192.0) {
      EXPECT_FLOAT_EQ(scaled[i], plain[i] / 8);
    }
    EXPECT_LE(scaled[i], plain[i]);
    EXPECT_GE(scaled[i], plain[i] / 8 * 0.999f);
  }
}

TEST(RopeScaling, YarnRampsBetweenKeptAndStretched) {
  const std::vector<float> plain = rope_frequencies(10000, 64);
  const std::vector<float> scaled = yarn_frequencies(10000, 64, {.factor = 4, .n_original = 2048});
  EXPECT_FLOAT_EQ(scaled[0], plain[0]);
  EXPECT_FLOAT_EQ(scaled[31], plain[31] / 4);
  for (std::size_t i = 1; i < 32; ++i) EXPECT_LE(scaled[i] / plain[i], scaled[i - 1] / plain[i - 1] * 1.000001f);
  EXPECT_EQ(yarn_attention_factor(1), 1.0);
  EXPECT_DOUBLE_EQ(yarn_attention_factor(std::exp(1.0)), 1.1);
}

TEST(RopeScaling, LongRopeDividesEachByItsFactor) {
  const std::vector<float> plain = rope_frequencies(10000, 6);
  const std::vector<double> factors = {1.0, 2.0, 5.0};
  const std::vector<float> scaled = long_rope_frequencies(10000, 6, factors);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(scaled[i], plain[i] / static_cast<float>(factors[i]));
}

}  // namespace
}  // namespace attnviz
