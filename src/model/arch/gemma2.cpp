// Gemma 2 (Gemma Team 2024, "Gemma 2: Improving Open Language Models at a Practical Size"): every other layer, the first included,
// sees a window only; scores and logits are capped. Parity: tests/parity/data/gemma2.
#include "model/arch/common.h"
#include "model/arch/families.h"
#include "model/arch/gemma.h"
#include "model/arch/rope_config.h"

#include <attnviz/error.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

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

ModelConfig read_config(const ConfigObject& config) {
  ModelConfig model = read_gemma_config(config, kGemma2.name, gemma_keys());
  model.attention.softcap = read_cap(config, "attn_logit_softcapping", kDefaultScoreCap);
  model.next_token.softcap = read_cap(config, "final_logit_softcapping", kDefaultLogitCap);
  model.attention.rope = read_rope(config, model.attention.d_head);
  std::vector<bool> is_sliding(model.n_layer);
  for (std::size_t layer = 0; layer < model.n_layer; ++layer) is_sliding[layer] = layer % 2 == 0;
  AttentionSpec sliding = model.attention;
  sliding.mask.window = read_size(config, "sliding_window", kDefaultWindow, kMostTokens);
  set_layer_kinds(&model, read_sliding_layers(config, is_sliding), std::move(sliding));
  return model;
}

}  // namespace

DecoderKeys gemma_keys() {
  DecoderKeys keys;
  keys.activation = "hidden_activation";
  keys.default_activation = "gelu_pytorch_tanh";
  keys.default_tied = true;
  keys.default_n_kv_head = 4;
  keys.default_d_head = 256;
  return keys;
}

ModelConfig read_gemma_config(const ConfigObject& config, std::string_view family, const DecoderKeys& keys) {
  ModelConfig model = read_llama_config(config, family, keys);
  require_off(config, "use_bidirectional_attention");
  model.norm.placement = NormPlacement::kSandwich;
  model.embedding.scale = static_cast<float>(std::sqrt(static_cast<double>(model.d_model)));
  const double query_scalar = config.number("query_pre_attn_scalar", 256);
  if (!(query_scalar > 0)) {
    throw Error(ErrorKind::kModel, fmt::format("{}: query_pre_attn_scalar is not usable; expected a positive number, found {}",
                                               config.where(), query_scalar));
  }
  model.attention.scale = static_cast<float>(1.0 / std::sqrt(query_scalar));
  return model;
}

TensorTable gemma_tensors(const ModelConfig& model, const ConfigObject& config) {
  const bool bias = config.flag("attention_bias", false);
  TensorTable table;
  add_llama_tensors(&table, model, {.qkv_bias = bias, .output_bias = bias});
  const std::string layer = "layers.{layer}.";
  add_rms_norm(&table, TensorRole::kAttentionNorm, layer + "input_layernorm.weight");
  add_rms_norm(&table, TensorRole::kAttentionPostNorm, layer + "post_attention_layernorm.weight");
  add_rms_norm(&table, TensorRole::kFfnNorm, layer + "pre_feedforward_layernorm.weight");
  add_rms_norm(&table, TensorRole::kFfnPostNorm, layer + "post_feedforward_layernorm.weight");
  for (TensorSpec& spec : table.tensors) spec.add_one = spec.pattern.ends_with("norm.weight");
  return table;
}

const Family kGemma2 = {"gemma2", read_config, gemma_tensors};

}  // namespace attnviz
