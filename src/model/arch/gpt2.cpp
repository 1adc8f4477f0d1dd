// GPT-2 (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"): layer norms before the blocks, learned
// absolute positions, matrices stored [inputs, outputs] and queries, keys and values in one. Parity: tests/parity/data/gpt2*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  DecoderKeys keys;
  keys.n_layer = "n_layer";
  keys.d_model = "n_embd";
  keys.n_head = "n_head";
  keys.n_kv_head = "";
  keys.d_head = "";
  keys.d_ffn = "n_inner";
  keys.activation = "activation_function";
  keys.defaults.activation = "gelu_new";
  keys.epsilon = "layer_norm_epsilon";
  keys.defaults.epsilon = 1e-5;
  keys.defaults.tied = true;
  StackSpec stack = read_decoder_stack(config, keys);
  stack.embedding.n_position = config.size("n_positions", 1024);
  if (!config.flag("scale_attn_weights", true)) stack.attention.scale = 1;
  if (config.flag("scale_attn_by_inverse_layer_idx", false)) {
    for (std::size_t layer = 0; layer < stack.n_layer; ++layer) {
      stack.attention_kinds.push_back(stack.attention);
      stack.attention_kinds.back().scale /= static_cast<float>(layer + 1);
      stack.attention_of_layer.push_back(layer);
    }
  }
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "wte.weight", {Dim::kVocab, Dim::kEmbedding});
  table.add(TensorRole::kPositionEmbedding, "wpe.weight", {Dim::kPosition, Dim::kEmbedding});
  const std::string layer = "h.{layer}.";
  const std::size_t first_matrix = table.tensors.size();
  table.add_fused({TensorRole::kQuery, TensorRole::kKey, TensorRole::kValue}, layer + "attn.c_attn",
                  {Dim::kQuery, Dim::kKeyValue, Dim::kKeyValue}, Dim::kModel, true);
  table.add_linear(TensorRole::kOutput, layer + "attn.c_proj", Dim::kModel, Dim::kQuery);
  table.add_linear(TensorRole::kFfnUp, layer + "mlp.c_fc", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "mlp.c_proj", Dim::kModel, Dim::kFfn);
  for (std::size_t row = first_matrix; row < table.tensors.size(); ++row) {
    table.tensors[row].transposed = table.tensors[row].shape.size() == 2;
  }
  table.add_norm(TensorRole::kAttentionNorm, layer + "ln_1", Dim::kModel);
  table.add_norm(TensorRole::kFfnNorm, layer + "ln_2", Dim::kModel);
  table.add_norm(TensorRole::kFinalNorm, "ln_f", Dim::kModel);
  add_lm_head(&table, stack, "lm_head.weight");
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kGpt2 = {"gpt2", read_stack, expected_tensors};

}  // namespace attnviz
