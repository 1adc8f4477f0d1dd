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

}  // namespace attnviz
