// DistilBERT (Sanh et al. 2019, "DistilBERT, a distilled version of BERT"): BERT without segments, with names of its own in
// config.json and weights; the layer norm's epsilon is fixed. Sinusoidal positions are stored like learned ones.
// Parity: tests/parity/data/distilbert.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  ConfigKeys keys;
  keys.n_layer = "n_layers";
  keys.d_model = "dim";
  keys.n_head = "n_heads";
  keys.d_ffn = "hidden_dim";
  keys.activation = "activation";
  keys.epsilon = "";  // 1e-12
  keys.n_segment = "";
  StackSpec stack = read_encoder_stack(config, keys);
  set_masked_head(&stack, config, stack.ffn.activation, stack.d_model);
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  const std::string layer = "transformer.layer.{layer}.";
  table.add_linear(TensorRole::kQuery, layer + "attention.q_lin", Dim::kQuery, Dim::kModel);
  table.add_linear(TensorRole::kKey, layer + "attention.k_lin", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kValue, layer + "attention.v_lin", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kOutput, layer + "attention.out_lin", Dim::kModel, Dim::kQuery);
  table.add_norm(TensorRole::kAttentionNorm, layer + "sa_layer_norm", Dim::kModel);
  table.add_linear(TensorRole::kFfnUp, layer + "ffn.lin1", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "ffn.lin2", Dim::kModel, Dim::kFfn);
  table.add_norm(TensorRole::kFfnNorm, layer + "output_layer_norm", Dim::kModel);
  add_masked_head(&table, stack, {"vocab_transform", "vocab_layer_norm", "vocab_projector.weight", "vocab_projector.bias"});
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kDistilBert = {"distilbert", read_stack, expected_tensors};

}  // namespace attnviz
