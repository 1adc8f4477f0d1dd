// Weights in memory, made from a family's own table: random, seeded, and open to damage.
#pragma once

#include <attnviz/weights.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/weights/config_json.h"
#include "model/arch/registry.h"
#include "model/tensor_table.h"

namespace attnviz {

class MemoryWeights : public WeightSource {
 public:
  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return "memory"; }

  // `shift` bytes off the alignment that the element needs.
  void add(const std::string& name, const Shape& shape, const std::vector<float>& values, std::size_t shift = 0) {
    const std::size_t n_bytes = values.size() * sizeof(float);
    bytes_.push_back(std::make_unique<std::byte[]>(n_bytes + 16));
    std::byte* data = bytes_.back().get() + shift;
    std::memcpy(data, values.data(), n_bytes);
    tensors_.push_back({name, {DType::kF32, shape, data}});
    std::sort(tensors_.begin(), tensors_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  StoredTensor& get(const std::string& name) {
    return *std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& tensor) { return tensor.name == name; });
  }

  void erase(const std::string& name) {
    std::erase_if(tensors_, [&](const auto& tensor) { return tensor.name == name; });
  }

  void rename(const std::string& name, const std::string& to) {
    get(name).name = to;
    std::sort(tensors_.begin(), tensors_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

 private:
  std::vector<StoredTensor> tensors_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

// Everything the family of `config_text` expects, under `prefix`.
inline std::unique_ptr<MemoryWeights> random_weights(const std::string& config_text, const std::string& prefix,
                                                     std::size_t shift = 0) {
  const ConfigObject settings = ConfigObject::parse(config_text, "config");
  const Family& family = find_family(settings);
  const StackSpec stack = read_model_config(family, settings).first();
  const TensorTable table = family.expected_tensors(stack, settings);
  auto weights = std::make_unique<MemoryWeights>();
  std::mt19937 engine(5);
  std::normal_distribution<float> normal(0, 0.4f);
  std::set<std::string> done;
  for (const TensorSpec& spec : table.tensors) {
    for (const std::string& layer : table.layers) {
      const std::string name = tensor_name(prefix, spec.pattern, layer);
      if (!done.insert(name).second) continue;
      const Shape shape = dim_sizes(stack, spec.shape);
      std::vector<float> values(element_count(shape));
      for (float& value : values) value = normal(engine);
      weights->add(name, shape, values, shift);
    }
  }
  return weights;
}

inline const std::string kSmallBert =
    R"({"model_type": "bert", "vocab_size": 29, "hidden_size": 15, "num_hidden_layers": 3, "num_attention_heads": 3,
        "intermediate_size": 11, "max_position_embeddings": 40, "type_vocab_size": 2})";

}  // namespace attnviz
