// Phi-3 (Abdin et al. 2024, "Phi-3 Technical Report"; Phi-4-mini): Llama's layers with queries, keys and values in one matrix and
// gate and up in another; a window where the file has one; LongRoPE for the long contexts. Parity: tests/parity/data/phi3*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  DecoderKeys keys;
  keys.defaults.epsilon = 1e-5;
  StackSpec stack = read_llama_stack(config, keys);
  stack.attention.rope = read_rope(config, stack.attention.d_head);
  if (config.has("sliding_window")) stack.attention.mask.window = read_size(config, "sliding_window", 0, kMostTokens);
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "embed_tokens.weight", {Dim::kVocab, Dim::kEmbedding});
  const std::string layer = "layers.{layer}.";
  table.add_fused({TensorRole::kQuery, TensorRole::kKey, TensorRole::kValue}, layer + "self_attn.qkv_proj",
                  {Dim::kQuery, Dim::kKeyValue, Dim::kKeyValue}, Dim::kModel, false);
  add_matrix(&table, TensorRole::kOutput, layer + "self_attn.o_proj", {Dim::kModel, Dim::kQuery}, false);
  table.add_fused({TensorRole::kFfnGate, TensorRole::kFfnUp}, layer + "mlp.gate_up_proj", {Dim::kFfn, Dim::kFfn}, Dim::kModel,
                  false);
  add_matrix(&table, TensorRole::kFfnDown, layer + "mlp.down_proj", {Dim::kModel, Dim::kFfn}, false);
  add_llama_norms(&table);
  table.add_rms_norm(TensorRole::kFinalNorm, "norm", Dim::kModel);
  add_lm_head(&table, stack, "lm_head.weight");
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kPhi3 = {"phi3", read_stack, expected_tensors};

}  // namespace attnviz
