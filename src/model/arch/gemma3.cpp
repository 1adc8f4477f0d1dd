// Gemma 3 (Gemma Team 2025, "Gemma 3 Technical Report"), text: five layers with a window for each full one, a RoPE base for each of
// the two kinds, norms on query and key heads. A model with vision ("gemma3") keeps the text part's settings in "text_config"; its
// files leave out what equals the reference's defaults. Parity: tests/parity/data/gemma3*.
#include <attnviz/error.h>

#include <optional>
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
constexpr std::size_t kDefaultPattern = 6;  // every sixth layer is full
constexpr RopeDefaults kFullRope{.theta = 1000000};
constexpr RopeDefaults kSlidingRope{.theta = 10000, .theta_key = "rope_local_base_freq"};

DecoderKeys keys_with_defaults() {
  DecoderKeys keys = gemma_keys();
  keys.defaults.sizes.n_vocab = 262208;
  keys.defaults.sizes.d_model = 2304;
  keys.defaults.sizes.d_ffn = 9216;
  keys.defaults.sizes.n_layer = 26;
  keys.defaults.sizes.n_head = 8;
  keys.defaults.sizes.n_context = 131072;
  return keys;
}

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_gemma_stack(config, keys_with_defaults());
  AttentionSpec& full = stack.attention;
  full.qk_norm = true;
  full.softcap = static_cast<float>(config.number("attn_logit_softcapping", 0));
  stack.output.softcap = static_cast<float>(config.number("final_logit_softcapping", 0));

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
  std::vector<bool> is_sliding(stack.n_layer);
  for (std::size_t layer = 0; layer < stack.n_layer; ++layer) is_sliding[layer] = (layer + 1) % pattern != 0;
  set_layer_kinds(&stack, read_sliding_layers(config, is_sliding), std::move(sliding));
  return stack;
}

ConfigObject text_part(const ConfigObject& config) {
  if (auto text = config.object("text_config")) return *text;
  throw Error(ErrorKind::kModel,
              fmt::format("{}: text_config is missing; expected an object with the text part's settings", config.where()));
}

StackSpec read_text_part(const ConfigObject& config) { return read_stack(text_part(config)); }

TensorTable text_part_tensors(const StackSpec& stack, const ConfigObject& config) {
  return gemma_tensors(stack, text_part(config));
}

}  // namespace

const Family kGemma3 = {"gemma3", read_text_part, text_part_tensors};
const Family kGemma3Text = {"gemma3_text", read_stack, gemma_tensors};

}  // namespace attnviz
