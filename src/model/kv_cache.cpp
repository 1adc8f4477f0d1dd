// See kv_cache.h.
#include "model/kv_cache.h"

namespace attnviz {

KvCache::KvCache(const ModelConfig& config, std::size_t capacity) : capacity_(capacity) {
  const std::size_t width = config.attention.n_kv_head * config.attention.d_head;
  for (std::size_t layer = 0; layer < config.n_layer; ++layer) {
    keys_.emplace_back(capacity, width);
    values_.emplace_back(capacity, width);
  }
}

bool keeps_rotation(const ModelConfig& config, const KvCache& cache, std::size_t n_new) {
  const std::size_t n_past = cache.n_tokens();
  for (std::size_t layer = 0; n_past > 0 && layer < config.n_layer; ++layer) {
    const auto& rope = config.attention_at(layer).rope;
    if (rope && !rope->long_frequencies.empty() && n_past <= rope->n_short && n_past + n_new > rope->n_short) return false;
  }
  return true;
}

}  // namespace attnviz
