// Reads what tests/reference/generate.py wrote.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>
#include <attnviz/weights.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/weights/safetensors.h"

namespace attnviz {

class Golden {
 public:
  explicit Golden(const std::string& file) : source_(open_safetensors(file)) {}

  // The tensor's numbers; Number must be the type they are stored as.
  template <typename Number>
  std::vector<Number> read(const std::string& name) const {
    const StoredTensor* tensor = source_->find(name);
    if (tensor == nullptr) throw std::runtime_error("the golden file has no tensor " + name);
    const std::size_t n = element_count(tensor->view.shape);
    if (sizeof(Number) != dtype_size(tensor->view.dtype)) throw std::runtime_error("the golden tensor has another type: " + name);
    std::vector<Number> values(n);
    std::memcpy(values.data(), tensor->view.data, n * sizeof(Number));
    return values;
  }

  bool has(const std::string& name) const { return source_->find(name) != nullptr; }

  // The batch of that name: "source." of "source.ids" and so on.
  TokenBatch batch(const std::string& name = "") const {
    TokenBatch batch;
    batch.ids = read<std::int32_t>(name + "ids");
    batch.segments = read<std::int32_t>(name + "segments");
    batch.offsets.clear();
    for (const std::int32_t offset : read<std::int32_t>(name + "offsets"))
      batch.offsets.push_back(static_cast<std::size_t>(offset));
    return batch;
  }

 private:
  std::unique_ptr<WeightSource> source_;
};

// Every head of every layer of a site, from `first_layer` on.
inline Request everything(const ModelConfig& config, Site site = Site::kSelf, std::size_t first_layer = 0) {
  const StackSpec& stack = *config.find(site);
  Request request;
  request.site = site;
  for (std::size_t layer = first_layer; layer < stack.n_layer; ++layer) request.layers.push_back(layer);
  for (std::size_t head = 0; head < ModelConfig::attention_of(stack, site).n_head; ++head) request.heads.push_back(head);
  return request;
}

// Sequences [begin, end) of a batch as a batch of their own.
inline TokenBatch sequences_of(const TokenBatch& batch, std::size_t begin, std::size_t end) {
  const std::size_t first = batch.offsets[begin];
  const std::size_t last = batch.offsets[end];
  TokenBatch part;
  part.ids.assign(batch.ids.data() + first, batch.ids.data() + last);
  part.segments.assign(batch.segments.data() + first, batch.segments.data() + last);
  part.offsets.clear();
  for (std::size_t i = begin; i <= end; ++i) part.offsets.push_back(batch.offsets[i] - first);
  return part;
}

inline TokenBatch sequence_of(const TokenBatch& batch, std::size_t sequence) { return sequences_of(batch, sequence, sequence + 1); }

}  // namespace attnviz
