// Inverse frequencies of rotary positions, plain and stretched to longer contexts. Exponents are f32, and so is everything computed
// from the powers, as in the reference: at position 8,000 the last bit of a frequency makes a difference. Tested in
// tests/unit/model/rope_scaling_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace attnviz {

// theta^(-2i / d_rotary) for i < d_rotary / 2
std::vector<float> rope_frequencies(double theta, std::size_t d_rotary);

// Each frequency divided by its own factor (LongRoPE, Ding et al. 2024); the factors are as many as the frequencies.
std::vector<float> long_rope_frequencies(double theta, std::size_t d_rotary, std::span<const double> factors);

// By bands of wave length (Llama 3.1): long waves are stretched by the factor, short ones are kept, and those between are blended.
struct BandScaling {
  double factor = 1;
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  double n_original = 8192;  // context before the stretching
};
void scale_bands(const BandScaling& scaling, std::vector<float>* frequencies);

// YaRN (Peng et al. 2023): a ramp over the columns between kept and stretched waves.
struct YarnScaling {
  double factor = 1;
  double beta_fast = 32;
  double beta_slow = 1;
  double n_original = 2048;
  bool truncate = true;  // the ramp begins and ends at whole columns
};
std::vector<float> yarn_frequencies(double theta, std::size_t d_rotary, const YarnScaling& scaling);

// 0.1 * mscale * ln(factor) + 1 for factors above 1: what YaRN multiplies queries and keys by.
double yarn_attention_factor(double factor, double mscale = 1);

}  // namespace attnviz
