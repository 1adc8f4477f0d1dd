// Phi-3 (Abdin et al. 2024, "Phi-3 Technical Report"; Phi-4-mini): Llama's layers with queries, keys and values in one matrix and
// gate and up in another; a window where the file has one; LongRoPE for the long contexts. Parity: tests/parity/data/phi3*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

ModelConfig read_config(const ConfigObject& config) {
  DecoderKeys keys;
  keys.default_epsilon = 1e-5;
  ModelConfig model = read_llama_config(config, kPhi3.name, keys);
  model.attention.rope = read_rope(config, model.attention.d_head);
  if (config.has("sliding_window")) model.attention.mask.window = read_size(config, "sliding_window", 0, kMostTokens);
  return model;
}

TensorTable expected_tensors(const ModelConfig& model, const ConfigObject&) {
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
  add_rms_norm(&table, TensorRole::kFinalNorm, "norm.weight");
  add_lm_head(&table, model, "lm_head.weight");
  table.number_layers(model.n_layer);
  return table;
}

}  // namespace

const Family kPhi3 = {"phi3", read_config, expected_tensors};

}  // namespace attnviz
