// ALBERT (Lan et al. 2020, "ALBERT: A Lite BERT"): factorised embeddings, always projected, and layers that share weights: the
// num_hidden_layers steps are spread over num_hidden_groups groups, and each step runs the inner_group_num layers of its group.
// Every such inner layer has attention of its own, so L counts them all. Parity: tests/parity/data/albert*.
#include <fmt/format.h>

#include "base/checked.h"
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  ConfigKeys keys;
  keys.default_activation = "gelu_new";
  StackSpec stack = read_encoder_stack(config, keys);
  stack.embedding.d_embedding = config.size("embedding_size", 128);
  set_masked_head(&stack, config, stack.ffn.activation, stack.embedding.d_embedding);
  const std::size_t n_group = config.size("num_hidden_groups", 1);
  if (n_group == 0 || n_group > stack.n_layer) {
    throw Error(ErrorKind::kModel, fmt::format("{}: num_hidden_groups is not usable; expected 1 to {}, found {}", config.where(),
                                               stack.n_layer, n_group));
  }
  stack.n_layer = checked_multiply(stack.n_layer, config.size("inner_group_num", 1), config.where());
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  table.add_linear(TensorRole::kEmbeddingProjection, "encoder.embedding_hidden_mapping_in", Dim::kModel, Dim::kEmbedding);
  const std::string layer = "encoder.albert_layer_groups.{layer}.";
  table.add_linear(TensorRole::kQuery, layer + "attention.query", Dim::kQuery, Dim::kModel);
  table.add_linear(TensorRole::kKey, layer + "attention.key", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kValue, layer + "attention.value", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kOutput, layer + "attention.dense", Dim::kModel, Dim::kQuery);
  table.add_norm(TensorRole::kAttentionNorm, layer + "attention.LayerNorm", Dim::kModel);
  table.add_linear(TensorRole::kFfnUp, layer + "ffn", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "ffn_output", Dim::kModel, Dim::kFfn);
  table.add_norm(TensorRole::kFfnNorm, layer + "full_layer_layer_norm", Dim::kModel);

  add_masked_head(
      &table, stack,
      {"predictions.dense", "predictions.LayerNorm", "predictions.decoder.weight", "predictions.decoder.bias", "predictions.bias"});

  const std::size_t n_inner = config.size("inner_group_num", 1);
  const std::size_t n_step = stack.n_layer / n_inner;
  const double steps_per_group = static_cast<double>(n_step) / static_cast<double>(config.size("num_hidden_groups", 1));
  for (std::size_t step = 0; step < n_step; ++step) {
    const auto group = static_cast<std::size_t>(static_cast<double>(step) / steps_per_group);
    for (std::size_t inner = 0; inner < n_inner; ++inner) {
      table.layers.push_back(fmt::format("{}.albert_layers.{}", group, inner));
    }
  }
  return table;
}

}  // namespace

const Family kAlbert = {"albert", read_stack, expected_tensors};

}  // namespace attnviz
