// ModernBERT (Warner et al. 2024, "Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder"): norms before the blocks (the
// first layer reads the normalised embedding as it is), rotary positions, gated feed-forward, and mostly local layers: those see
// local_attention / 2 tokens to each side and turn at a rate of their own. Parity: tests/parity/data/modernbert*.
#include <attnviz/error.h>

#include <vector>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

// Files of 2024 have a theta for each kind of layer, later ones an object of parameters for each.
RopeSpec read_layer_rope(const ConfigObject& config, std::string_view layer_type, const RopeDefaults& defaults,
                         std::size_t d_head) {
  std::optional<ConfigObject> parameters = config.object("rope_scaling");
  if (const auto by_type = config.object("rope_parameters"); by_type && !parameters) parameters = by_type->object(layer_type);
  return read_rope_parameters(config, parameters, d_head, defaults);
}

std::vector<bool> local_layers(const ConfigObject& config, std::size_t n_layer) {
  const std::size_t step = read_size(config, "global_attn_every_n_layers", 3, 1000000);
  std::vector<bool> is_local(n_layer);
  for (std::size_t layer = 0; layer < n_layer; ++layer) is_local[layer] = layer % step != 0;
  return read_sliding_layers(config, is_local);
}

StackSpec read_stack(const ConfigObject& config) {
  ConfigKeys keys;
  keys.n_segment = "";
  keys.activation = "hidden_activation";
  keys.epsilon = "norm_eps";
  StackSpec stack = read_encoder_stack(config, keys);
  stack.norm.epsilon = static_cast<float>(config.number(keys.epsilon, 1e-5));
  stack.norm.placement = NormPlacement::kPre;
  stack.ffn.gated = true;
  stack.n_context = stack.embedding.n_position;
  stack.embedding.n_position = 0;
  read_size(config, "num_hidden_layers", 0, 4096);  // before a list of that length is made

  AttentionSpec& global = stack.attention;
  AttentionSpec local = global;
  global.rope = read_layer_rope(config, "full_attention", {.theta = 160000, .theta_key = "global_rope_theta"}, global.d_head);
  local.rope = read_layer_rope(config, "sliding_attention", {.theta = 10000, .theta_key = "local_rope_theta"}, global.d_head);
  local.mask.window = config.size("local_attention", 128) / 2 + 1;
  set_layer_kinds(&stack, local_layers(config, stack.n_layer), local);
  set_masked_head(&stack, config, read_activation(config, "classifier_activation", "gelu"), stack.d_model);
  return stack;
}

void add_norm(TensorTable* table, TensorRole role, const std::string& stem, bool with_bias) {
  table->add(role, stem + ".weight", {Dim::kModel});
  if (with_bias) table->add(bias_of(role), stem + ".bias", {Dim::kModel});
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool norm_bias = config.flag("norm_bias", false);
  const bool attention_bias = config.flag("attention_bias", false);
  const bool ffn_bias = config.flag("mlp_bias", false);
  const std::string layer = "layers.{layer}.";
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "embeddings.tok_embeddings.weight", {Dim::kVocab, Dim::kEmbedding});
  add_norm(&table, TensorRole::kEmbeddingNorm, "embeddings.norm", norm_bias);
  add_norm(&table, TensorRole::kAttentionNorm, layer + "attn_norm", norm_bias);
  for (TensorSpec& row : table.tensors) {
    if (row.role == TensorRole::kAttentionNorm || row.role == TensorRole::kAttentionNormBias) row.not_in_first_layer = true;
  }
  table.add_fused({TensorRole::kQuery, TensorRole::kKey, TensorRole::kValue}, layer + "attn.Wqkv",
                  {Dim::kQuery, Dim::kKeyValue, Dim::kKeyValue}, Dim::kModel, attention_bias);
  add_matrix(&table, TensorRole::kOutput, layer + "attn.Wo", {Dim::kModel, Dim::kQuery}, attention_bias);
  add_norm(&table, TensorRole::kFfnNorm, layer + "mlp_norm", norm_bias);
  table.add_fused({TensorRole::kFfnGate, TensorRole::kFfnUp}, layer + "mlp.Wi", {Dim::kFfn, Dim::kFfn}, Dim::kModel, ffn_bias);
  add_matrix(&table, TensorRole::kFfnDown, layer + "mlp.Wo", {Dim::kModel, Dim::kFfn}, ffn_bias);
  add_norm(&table, TensorRole::kFinalNorm, "final_norm", norm_bias);
  add_masked_head(&table, stack, {"head.dense", "head.norm", "decoder.weight", "decoder.bias"});
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kModernBert = {"modernbert", read_stack, expected_tensors};

}  // namespace attnviz
