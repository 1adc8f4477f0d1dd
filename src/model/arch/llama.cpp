// Llama (Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models"; Llama 2 and 3, TinyLlama, SmolLM): RMS norms
// before the blocks, rotary positions, gated feed-forward, grouped key/value heads. Parity: tests/parity/data/llama*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

ModelConfig read_config(const ConfigObject& config) {
  ModelConfig model = read_llama_config(config, kLlama.name);
  model.attention.rope = read_rope(config, model.attention.d_head);
  return model;
}

TensorTable expected_tensors(const ModelConfig& model, const ConfigObject& config) {
  const bool attention_bias = config.flag("attention_bias", false);
  TensorTable table;
  add_llama_tensors(&table, model, {attention_bias, attention_bias, config.flag("mlp_bias", false)});
  add_llama_norms(&table);
  return table;
}

}  // namespace

const Family kLlama = {"llama", read_config, expected_tensors};

}  // namespace attnviz
