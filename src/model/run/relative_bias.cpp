// See relative_bias.h.
#include "model/run/relative_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace attnviz {

std::size_t relative_bucket(const RelativeBiasSpec& spec, std::ptrdiff_t key_minus_query) {
  std::size_t n_buckets = spec.n_buckets;
  std::size_t first = 0;
  std::size_t distance = static_cast<std::size_t>(std::abs(key_minus_query));
  if (spec.bidirectional) {
    n_buckets /= 2;
    if (key_minus_query > 0) first = n_buckets;
  } else if (key_minus_query > 0) {
    distance = 0;
  }
  const std::size_t n_exact = n_buckets / 2;
  if (distance < n_exact) return first + distance;
  // In f32 and in the reference's order: where the logarithm is a whole number, rounding decides the bucket.
  const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(n_exact)) /
                      static_cast<float>(std::log(static_cast<double>(spec.max_distance) / static_cast<double>(n_exact)));
  const auto beyond = static_cast<std::size_t>(ratio * static_cast<float>(n_buckets - n_exact));
  return first + std::min(n_exact + beyond, n_buckets - 1);
}

std::vector<float> distance_bias(const RelativeBiasSpec& spec, const float* table, std::size_t n_head, std::size_t n_distance) {
  const std::size_t width = 2 * n_distance - 1;
  std::vector<float> bias(n_head * width);
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t bucket = relative_bucket(spec, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(n_distance - 1));
    for (std::size_t head = 0; head < n_head; ++head) bias[head * width + i] = table[bucket * n_head + head];
  }
  return bias;
}

}  // namespace attnviz
