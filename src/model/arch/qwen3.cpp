// Qwen3 (Yang et al. 2025, "Qwen3 Technical Report"): Llama's layers with a norm on each query and key head and a head width of its
// own. Parity: tests/parity/data/qwen3*.
#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/qwen.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) { return read_qwen_stack(config, true); }

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool bias = config.flag("attention_bias", false);
  TensorTable table;
  add_llama_tensors(&table, stack, {.qkv_bias = bias, .output_bias = bias});
  add_llama_norms(&table);
  return table;
}

}  // namespace

const Family kQwen3 = {"qwen3", read_stack, expected_tensors};

}  // namespace attnviz
