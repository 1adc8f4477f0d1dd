// Gemma 2 (Gemma Team 2024, "Gemma 2: Improving Open Language Models at a Practical Size"): every other layer, the first included,
// sees a window only; scores and logits are capped. Parity: tests/parity/data/gemma2.
#include <attnviz/error.h>

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/families.h"
#include "model/arch/gemma.h"
#include "model/arch/rope_config.h"

namespace attnviz {
namespace {

constexpr std::size_t kDefaultWindow = 4096;
constexpr double kDefaultScoreCap = 50;
constexpr double kDefaultLogitCap = 30;

// A cap under a key that may be null: none.
float read_cap(const ConfigObject& config, std::string_view key, double fallback) {
  for (const std::string& name : config.keys()) {
    if (name == key && !config.has(key)) return 0;
  }
  return static_cast<float>(config.number(key, fallback));
}

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_gemma_stack(config, gemma_keys());
  stack.attention.softcap = read_cap(config, "attn_logit_softcapping", kDefaultScoreCap);
  stack.output.softcap = read_cap(config, "final_logit_softcapping", kDefaultLogitCap);
  stack.attention.rope = read_rope(config, stack.attention.d_head);
  std::vector<bool> is_sliding(stack.n_layer);
  for (std::size_t layer = 0; layer < stack.n_layer; ++layer) is_sliding[layer] = layer % 2 == 0;
  AttentionSpec sliding = stack.attention;
  sliding.mask.window = read_size(config, "sliding_window", kDefaultWindow, kMostTokens);
  set_layer_kinds(&stack, read_sliding_layers(config, is_sliding), std::move(sliding));
  return stack;
}

}  // namespace

DecoderKeys gemma_keys() {
  DecoderKeys keys;
  keys.activation = "hidden_activation";
  keys.defaults.activation = "gelu_pytorch_tanh";
  keys.defaults.tied = true;
  keys.defaults.sizes.n_kv_head = 4;
  keys.defaults.sizes.d_head = 256;
  return keys;
}

StackSpec read_gemma_stack(const ConfigObject& config, const DecoderKeys& keys) {
  StackSpec stack = read_llama_stack(config, keys);
  require_off(config, "use_bidirectional_attention");
  stack.norm.placement = NormPlacement::kSandwich;
  stack.embedding.scale = static_cast<float>(std::sqrt(static_cast<double>(stack.d_model)));
  const double query_scalar = config.number("query_pre_attn_scalar", 256);
  if (!(query_scalar > 0)) {
    throw Error(ErrorKind::kModel, fmt::format("{}: query_pre_attn_scalar is not usable; expected a positive number, found {}",
                                               config.where(), query_scalar));
  }
  stack.attention.scale = static_cast<float>(1.0 / std::sqrt(query_scalar));
  return stack;
}

TensorTable gemma_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool bias = config.flag("attention_bias", false);
  TensorTable table;
  add_llama_tensors(&table, stack, {.qkv_bias = bias, .output_bias = bias});
  const std::string layer = "layers.{layer}.";
  table.add_rms_norm(TensorRole::kAttentionNorm, layer + "input_layernorm", Dim::kModel);
  table.add_rms_norm(TensorRole::kAttentionPostNorm, layer + "post_attention_layernorm", Dim::kModel);
  table.add_rms_norm(TensorRole::kFfnNorm, layer + "pre_feedforward_layernorm", Dim::kModel);
  table.add_rms_norm(TensorRole::kFfnPostNorm, layer + "post_feedforward_layernorm", Dim::kModel);
  for (TensorSpec& spec : table.tensors) spec.add_one = spec.pattern.ends_with("norm.weight");
  return table;
}

const Family kGemma2 = {"gemma2", read_stack, gemma_tensors};

}  // namespace attnviz
