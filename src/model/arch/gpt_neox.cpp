// GPT-NeoX (Black et al. 2022, "GPT-NeoX-20B"; Pythia): both blocks of a layer read its input unless the file says otherwise, a
// part of each head rotates, and one matrix holds each head's query, key and value rows in turn. Parity:
// tests/parity/data/gpt_neox*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

constexpr RopeDefaults kRope{.theta = 10000, .partial = 0.25, .theta_key = "rotary_emb_base", .partial_key = "rotary_pct"};

StackSpec read_stack(const ConfigObject& config) {
  DecoderKeys keys;
  keys.n_kv_head = "";
  keys.d_head = "";
  keys.defaults.activation = "gelu";
  keys.epsilon = "layer_norm_eps";
  keys.defaults.epsilon = 1e-5;
  StackSpec stack = read_decoder_stack(config, keys);
  stack.n_context = read_size(config, "max_position_embeddings", 0, kMostTokens);
  stack.parallel_residual = config.flag("use_parallel_residual", true);
  stack.attention.rope = read_rope(config, stack.attention.d_head, kRope);
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool bias = config.flag("attention_bias", true);
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "embed_in.weight", {Dim::kVocab, Dim::kEmbedding});
  const std::string layer = "layers.{layer}.";
  table.add_fused({TensorRole::kQuery, TensorRole::kKey, TensorRole::kValue}, layer + "attention.query_key_value",
                  {Dim::kQuery, Dim::kKeyValue, Dim::kKeyValue}, Dim::kModel, bias);
  for (TensorSpec& spec : table.tensors) spec.head_by_head = !spec.fused.empty();
  add_matrix(&table, TensorRole::kOutput, layer + "attention.dense", {Dim::kModel, Dim::kQuery}, bias);
  table.add_linear(TensorRole::kFfnUp, layer + "mlp.dense_h_to_4h", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "mlp.dense_4h_to_h", Dim::kModel, Dim::kFfn);
  table.add_norm(TensorRole::kAttentionNorm, layer + "input_layernorm", Dim::kModel);
  table.add_norm(TensorRole::kFfnNorm, layer + "post_attention_layernorm", Dim::kModel);
  table.add_norm(TensorRole::kFinalNorm, "final_layer_norm", Dim::kModel);
  add_lm_head(&table, stack, "embed_out.weight");
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kGptNeox = {"gpt_neox", read_stack, expected_tensors};

}  // namespace attnviz
