// See sampler.h.
#include "pipeline/sampler.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace attnviz {

std::int32_t Sampler::pick(std::span<const float> logits) {
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (!std::isnan(logits[id])) continue;
    throw Error(ErrorKind::kModel,
                fmt::format("generation: the score of token {} is not a number; expected finite scores; check the weights", id));
  }
  const auto largest = std::max_element(logits.begin(), logits.end());
  if (largest == logits.end() || !std::isfinite(*largest)) {
    throw Error(ErrorKind::kModel, "generation: no token has a finite score; check the weights");
  }
  if (options_.temperature == 0) return static_cast<std::int32_t>(largest - logits.begin());

  std::vector<std::int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto score = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
  if (options_.top_k > 0 && options_.top_k < ids.size()) {
    const auto is_likelier = [&](std::int32_t a, std::int32_t b) { return score(a) != score(b) ? score(a) > score(b) : a < b; };
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(options_.top_k), ids.end(), is_likelier);
    ids.resize(options_.top_k);
  }
  std::vector<double> cumulative;
  double sum = 0;
  for (const std::int32_t id : ids) {
    sum += std::exp((static_cast<double>(score(id)) - static_cast<double>(*largest)) / options_.temperature);
    cumulative.push_back(sum);
  }
  const double drawn = static_cast<double>(random_() >> 11) * 0x1p-53 * sum;  // the standard's distributions differ by library
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), drawn);
  return ids[std::min(static_cast<std::size_t>(found - cumulative.begin()), ids.size() - 1)];
}

}  // namespace attnviz
