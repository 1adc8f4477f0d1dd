// Qwen2 (Yang et al. 2024, "Qwen2 Technical Report"; Qwen2.5): Llama's layers with biases on queries, keys and values, and a window
// in the upper layers where the file asks for it. Parity: tests/parity/data/qwen2*.
#include <attnviz/error.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"
#include "model/arch/qwen.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

constexpr std::size_t kDefaultWindow = 4096;
constexpr std::size_t kDefaultFullLayers = 28;
constexpr std::size_t kDefaultQwen3HeadWidth = 128;

StackSpec read_stack(const ConfigObject& config) { return read_qwen_stack(config, false); }

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_llama_tensors(&table, stack, {.qkv_bias = true});
  add_llama_norms(&table);
  return table;
}

}  // namespace

StackSpec read_qwen_stack(const ConfigObject& config, bool qk_norm) {
  DecoderKeys keys;
  if (qk_norm) keys.defaults.sizes.d_head = kDefaultQwen3HeadWidth;
  StackSpec stack = read_llama_stack(config, keys);
  stack.attention.qk_norm = qk_norm;
  stack.attention.rope = read_rope(config, stack.attention.d_head);
  const bool has_window = config.flag("use_sliding_window", false);
  std::vector<bool> is_sliding(stack.n_layer, false);
  for (std::size_t layer = config.size("max_window_layers", kDefaultFullLayers); has_window && layer < stack.n_layer; ++layer) {
    is_sliding[layer] = true;
  }
  is_sliding = read_sliding_layers(config, is_sliding);
  if (std::find(is_sliding.begin(), is_sliding.end(), true) == is_sliding.end()) return stack;
  if (!has_window) {
    throw Error(ErrorKind::kModel, fmt::format("{}: layer_types has sliding_attention, which needs use_sliding_window; expected "
                                               "true, found false",
                                               config.where()));
  }
  AttentionSpec sliding = stack.attention;
  sliding.mask.window = read_size(config, "sliding_window", kDefaultWindow, kMostTokens);
  set_layer_kinds(&stack, is_sliding, std::move(sliding));
  return stack;
}

const Family kQwen2 = {"qwen2", read_stack, expected_tensors};

}  // namespace attnviz
