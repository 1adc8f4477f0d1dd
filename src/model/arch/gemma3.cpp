// Gemma 3 (Gemma Team 2025, "Gemma 3 Technical Report"), text: five layers with a window for each full one, a RoPE base for each of
// the two kinds, norms on query and key heads. A model with vision ("gemma3") keeps the text part's settings in "text_config"; its
// files leave out what equals the reference's defaults. Parity: tests/parity/data/gemma3*.
#include "model/arch/common.h"
#include "model/arch/families.h"
#include "model/arch/gemma.h"
#include "model/arch/rope_config.h"

#include <attnviz/error.h>
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace attnviz {
namespace {

constexpr std::size_t kDefaultWindow = 4096;
constexpr std::size_t kDefaultPattern = 6;  // every sixth layer is full
constexpr RopeDefaults kFullRope{.theta = 1000000};
constexpr RopeDefaults kSlidingRope{.theta = 10000, .theta_key = "rope_local_base_freq"};

DecoderKeys keys_with_defaults() {
  DecoderKeys keys = gemma_keys();
  keys.default_n_vocab = 262208;
  keys.default_d_model = 2304;
  keys.default_d_ffn = 9216;
  keys.default_n_layer = 26;
  keys.default_n_head = 8;
  keys.default_n_context = 131072;
  return keys;
}

ModelConfig read_text_config(const ConfigObject& config, std::string_view family) {
  ModelConfig model = read_gemma_config(config, family, keys_with_defaults());
  AttentionSpec& full = model.attention;
  full.qk_norm = true;
  full.softcap = static_cast<float>(config.number("attn_logit_softcapping", 0));
  model.next_token.softcap = static_cast<float>(config.number("final_logit_softcapping", 0));

  // Parameters for each kind, or (before 2025) those of the full layers, under "rope_scaling".
  std::optional<ConfigObject> of_full = config.object("rope_scaling");
  std::optional<ConfigObject> of_sliding;
  if (const auto both = config.object("rope_parameters")) {
    if (!of_full) of_full = both->object("full_attention");
    of_sliding = both->object("sliding_attention");
  }
  AttentionSpec sliding = full;
  full.rope = read_rope_parameters(config, of_full, full.d_head, kFullRope);
  sliding.rope = read_rope_parameters(config, of_sliding, full.d_head, kSlidingRope);
  sliding.mask.window = read_size(config, "sliding_window", kDefaultWindow, kMostTokens);

  const std::size_t pattern = read_size(config, "sliding_window_pattern", kDefaultPattern, kMostTokens);
  std::vector<bool> is_sliding(model.n_layer);
  for (std::size_t layer = 0; layer < model.n_layer; ++layer) is_sliding[layer] = (layer + 1) % pattern != 0;
  set_layer_kinds(&model, read_sliding_layers(config, is_sliding), std::move(sliding));
  return model;
}

ConfigObject text_part(const ConfigObject& config) {
  if (auto text = config.object("text_config")) return *text;
  throw Error(ErrorKind::kModel,
              fmt::format("{}: text_config is missing; expected an object with the text part's settings", config.where()));
}

ModelConfig read_config(const ConfigObject& config) { return read_text_config(config, kGemma3Text.name); }

ModelConfig read_vision_config(const ConfigObject& config) { return read_text_config(text_part(config), kGemma3.name); }

TensorTable vision_tensors(const ModelConfig& model, const ConfigObject& config) { return gemma_tensors(model, text_part(config)); }

}  // namespace

const Family kGemma3 = {"gemma3", read_vision_config, vision_tensors};
const Family kGemma3Text = {"gemma3_text", read_config, gemma_tensors};

}  // namespace attnviz
