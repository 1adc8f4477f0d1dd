// See kv_cache.h.
#include "model/run/kv_cache.h"

namespace attnviz {

KvCache::KvCache(const ModelConfig& config, std::size_t capacity) : capacity_(capacity) {
  const StackSpec& stack = config.generating();
  const std::size_t width = stack.attention.n_kv_head * stack.attention.d_head;
  for (std::size_t layer = 0; layer < stack.n_layer; ++layer) {
    keys_.emplace_back(capacity, width);
    values_.emplace_back(capacity, width);
  }
  if (stack.cross) cross_width_ = stack.cross->attention.n_kv_head * stack.cross->attention.d_head;
}

void KvCache::keep_source(std::size_t n_source) {
  n_source_ = n_source;
  cross_keys_.clear();
  cross_values_.clear();
  for (std::size_t layer = 0; layer < keys_.size(); ++layer) {
    cross_keys_.emplace_back(n_source, cross_width_);
    cross_values_.emplace_back(n_source, cross_width_);
  }
}

bool keeps_rotation(const StackSpec& stack, const KvCache& cache, std::size_t n_new) {
  const std::size_t n_past = cache.n_tokens();
  for (std::size_t layer = 0; n_past > 0 && layer < stack.n_layer; ++layer) {
    const auto& rope = stack.attention_at(layer).rope;
    if (rope && !rope->long_frequencies.empty() && n_past <= rope->n_short && n_past + n_new > rope->n_short) return false;
  }
  return true;
}

}  // namespace attnviz
