// Which token comes next, from a model's scores: the likeliest, or drawn at random (Fan et al. 2018, "Hierarchical Neural Story
// Generation", for top-k). The same scores, options and seed give the same tokens on every machine.
// Tested in tests/unit/pipeline/sampler_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace attnviz {

struct SamplingOptions {
  double temperature = 0;  // scores are divided by it before softmax; 0: always the likeliest token
  std::size_t top_k = 0;   // only among that many likeliest; 0: among all
  std::uint64_t seed = 0;
};

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}

  // Of equal scores the lower id comes first. Throws Error(kModel) if a score is not a number, or all are minus infinity.
  std::int32_t pick(std::span<const float> logits);

 private:
  SamplingOptions options_;
  std::mt19937_64 random_;
};

}  // namespace attnviz
