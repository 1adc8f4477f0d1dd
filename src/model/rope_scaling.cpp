// See rope_scaling.h.
#include "model/rope_scaling.h"

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

constexpr double kPi = 3.14159265358979323846;

// theta^(2i / d_rotary)
std::vector<float> wave_powers(double theta, std::size_t d_rotary) {
  std::vector<float> powers;
  for (std::size_t i = 0; i < d_rotary; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(d_rotary);
    powers.push_back(static_cast<float>(std::pow(theta, static_cast<double>(exponent))));
  }
  return powers;
}

// The column whose wave turns n_rotations times within the original context.
double yarn_column(double n_rotations, double theta, std::size_t d_rotary, double n_original) {
  return static_cast<double>(d_rotary) * std::log(n_original / (n_rotations * 2 * kPi)) / (2 * std::log(theta));
}

}  // namespace

std::vector<float> rope_frequencies(double theta, std::size_t d_rotary) {
  std::vector<float> frequencies = wave_powers(theta, d_rotary);
  for (float& value : frequencies) value = 1.0F / value;
  return frequencies;
}

std::vector<float> long_rope_frequencies(double theta, std::size_t d_rotary, std::span<const double> factors) {
  std::vector<float> frequencies = wave_powers(theta, d_rotary);
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = 1.0F / (static_cast<float>(factors[i]) * frequencies[i]);
  return frequencies;
}

void scale_bands(const BandScaling& scaling, std::vector<float>* frequencies) {
  const auto n_original = static_cast<float>(scaling.n_original);
  const auto factor = static_cast<float>(scaling.factor);
  const auto low = static_cast<float>(scaling.low_freq_factor);
  const auto long_wave = static_cast<float>(scaling.n_original / scaling.low_freq_factor);
  const auto short_wave = static_cast<float>(scaling.n_original / scaling.high_freq_factor);
  const auto range = static_cast<float>(scaling.high_freq_factor - scaling.low_freq_factor);
  for (float& frequency : *frequencies) {
    const float wave = static_cast<float>(2 * kPi) / frequency;
    if (wave > long_wave) {
      frequency /= factor;
    } else if (!(wave < short_wave)) {
      const float smooth = (n_original / wave - low) / range;
      frequency = (1.0F - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

std::vector<float> yarn_frequencies(double theta, std::size_t d_rotary, const YarnScaling& scaling) {
  double low = yarn_column(scaling.beta_fast, theta, d_rotary, scaling.n_original);
  double high = yarn_column(scaling.beta_slow, theta, d_rotary, scaling.n_original);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(d_rotary) - 1);
  if (low == high) high += 0.001;
  std::vector<float> frequencies = wave_powers(theta, d_rotary);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float ramp = (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1.0F - std::clamp(ramp, 0.0F, 1.0F);
    const float stretched = 1.0F / (static_cast<float>(scaling.factor) * frequencies[i]);
    frequencies[i] = stretched * (1.0F - kept) + 1.0F / frequencies[i] * kept;
  }
  return frequencies;
}

double yarn_attention_factor(double factor, double mscale) { return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1; }

}  // namespace attnviz
