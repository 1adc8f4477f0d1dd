// See run_plan.h.
#include "model/run_plan.h"

#include <attnviz/error.h>

#include "model/kv_cache.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

namespace attnviz {
namespace {

void check_indices(std::string_view what, std::span<const std::size_t> indices, std::size_t n) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= n) {
      throw Error(ErrorKind::kInput,
                  fmt::format("request: {} {} is out of range; the model has {} 0 to {}", what, indices[i], what, n - 1));
    }
    if (i > 0 && indices[i - 1] >= indices[i]) {
      throw Error(ErrorKind::kBug, fmt::format("request: {} numbers must be sorted and unique", what));
    }
  }
}

void check_request(const ModelConfig& config, const Request& request) {
  if (request.layers.empty() || request.heads.empty()) {
    throw Error(ErrorKind::kBug, "request: names no layer or no head; expected at least one of each");
  }
  check_indices("layer", request.layers, config.n_layer);
  check_indices("head", request.heads, config.attention.n_head);
}

std::vector<std::size_t> key_value_heads(const AttentionSpec& attention, std::span<const std::size_t> heads) {
  const std::size_t group = attention.n_head / attention.n_kv_head;
  std::vector<std::size_t> kv_heads;
  for (const std::size_t head : heads) {
    if (kv_heads.empty() || kv_heads.back() != head / group) kv_heads.push_back(head / group);
  }
  return kv_heads;
}

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

LayerPlan whole_layer(const ModelConfig& config, const Request& request, std::size_t layer) {
  LayerPlan step;
  step.layer = layer;
  step.wanted = std::binary_search(request.layers.begin(), request.layers.end(), layer);
  step.heads = all_of(config.attention.n_head);
  step.kv_heads = key_value_heads(config.attention, step.heads);
  return step;
}

}  // namespace

bool any_wants(std::span<Tap* const> taps, TapKind kind) {
  return std::any_of(taps.begin(), taps.end(), [&](const Tap* tap) { return tap->wants(kind); });
}

std::vector<LayerPlan> plan_run(const ModelConfig& config, const Request& request, std::span<Tap* const> taps) {
  check_request(config, request);
  std::vector<LayerPlan> plan;
  for (std::size_t layer = 0; layer <= request.layers.back(); ++layer) {
    LayerPlan step = whole_layer(config, request, layer);
    if (layer == request.layers.back() && !any_wants(taps, TapKind::kResidual)) {
      step.heads = request.heads;
      step.output = false;
      step.context = any_wants(taps, TapKind::kContext);
      step.values = step.context || any_wants(taps, TapKind::kValue);
      step.scores = step.context || any_wants(taps, TapKind::kScores) || any_wants(taps, TapKind::kPattern);
      step.kv_heads = key_value_heads(config.attention, step.heads);
    }
    plan.push_back(std::move(step));
  }
  return plan;
}

std::vector<LayerPlan> plan_whole_run(const ModelConfig& config, const Request& request) {
  check_request(config, request);
  std::vector<LayerPlan> plan;
  for (std::size_t layer = 0; layer < config.n_layer; ++layer) plan.push_back(whole_layer(config, request, layer));
  return plan;
}

void check_batch(const ModelConfig& config, const TokenBatch& batch) {
  const bool consistent = !batch.offsets.empty() && batch.offsets.front() == 0 && batch.offsets.back() == batch.ids.size() &&
                          std::is_sorted(batch.offsets.begin(), batch.offsets.end()) && batch.segments.size() == batch.ids.size();
  if (!consistent) throw Error(ErrorKind::kBug, "batch: ids, segments and offsets do not belong together");
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    const std::size_t n_tokens = batch.offsets[sequence + 1] - batch.offsets[sequence];
    if (n_tokens == 0) throw Error(ErrorKind::kInput, fmt::format("text {}: has no tokens; expected at least one", sequence + 1));
    if (n_tokens > config.max_tokens()) {
      throw Error(ErrorKind::kInput, fmt::format("text {}: is too long for the model; expected at most {} tokens, found {}; cut it",
                                                 sequence + 1, config.max_tokens(), n_tokens));
    }
  }
  const auto outside = [](std::int32_t value, std::size_t n) { return value < 0 || static_cast<std::size_t>(value) >= n; };
  for (const std::int32_t id : batch.ids) {
    if (!outside(id, config.embedding.n_vocab)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("token id {} is outside the model's vocabulary; expected 0 to {}; the tokenizer and the "
                            "weights must be of one model",
                            id, config.embedding.n_vocab - 1));
  }
  if (config.embedding.n_segment == 0) return;
  for (const std::int32_t segment : batch.segments) {
    if (!outside(segment, config.embedding.n_segment)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("segment {} is outside the model's; expected 0 to {}: the model was not made for pairs of "
                            "texts",
                            segment, config.embedding.n_segment - 1));
  }
}

void check_extension(const ModelConfig& config, const KvCache& cache, const TokenBatch& batch) {
  check_batch(config, batch);
  const std::size_t n_past = cache.n_tokens();
  const std::size_t n_tokens = n_past + batch.n_tokens();
  if (n_tokens > config.max_tokens()) {
    throw Error(ErrorKind::kInput,
                fmt::format("text: would grow to {} tokens; the model takes at most {}; generate fewer, or shorten the text",
                            n_tokens, config.max_tokens()));
  }
  if (n_tokens > cache.capacity()) {
    throw Error(ErrorKind::kBug, fmt::format("cache: has room for {} tokens; {} are to go in", cache.capacity(), n_tokens));
  }
  if (!keeps_rotation(config, cache, batch.n_tokens())) {
    throw Error(
        ErrorKind::kBug,
        fmt::format("cache: its {} keys are turned in another way than those of {} tokens; run the text anew", n_past, n_tokens));
  }
}

}  // namespace attnviz
