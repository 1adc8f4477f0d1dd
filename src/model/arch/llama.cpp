// Llama (Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models"; Llama 2 and 3, TinyLlama, SmolLM): RMS norms
// before the blocks, rotary positions, gated feed-forward, grouped key/value heads. Parity: tests/parity/data/llama*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_llama_stack(config);
  stack.attention.rope = read_rope(config, stack.attention.d_head);
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool attention_bias = config.flag("attention_bias", false);
  TensorTable table;
  add_llama_tensors(&table, stack, {attention_bias, attention_bias, config.flag("mlp_bias", false)});
  add_llama_norms(&table);
  return table;
}

}  // namespace

const Family kLlama = {"llama", read_stack, expected_tensors};

}  // namespace attnviz
