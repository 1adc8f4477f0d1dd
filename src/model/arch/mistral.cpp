// Mistral (Jiang et al. 2023, "Mistral 7B"): Llama's layers, each of which sees a window of keys only. A file without
// "sliding_window" means the reference's default, null means no window. Parity: tests/parity/data/mistral*.
#include <algorithm>
#include <string>
#include <vector>

#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

constexpr std::size_t kDefaultWindow = 4096;
constexpr std::size_t kDefaultKeyValueHeads = 8;

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_llama_stack(config);
  const std::vector<std::string> keys = config.keys();
  const auto is_named = [&](const char* key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  if (!is_named("num_key_value_heads")) stack.attention.n_kv_head = kDefaultKeyValueHeads;
  stack.attention.rope = read_rope(config, stack.attention.d_head);
  if (config.has("sliding_window")) {
    stack.attention.mask.window = read_size(config, "sliding_window", 0, kMostTokens);
  } else if (!is_named("sliding_window")) {
    stack.attention.mask.window = kDefaultWindow;
  }
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_llama_tensors(&table, stack, {});
  add_llama_norms(&table);
  return table;
}

}  // namespace

const Family kMistral = {"mistral", read_stack, expected_tensors};

}  // namespace attnviz
