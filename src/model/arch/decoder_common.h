// The settings that the decoder families read from config.json in the same way, and the tensors with common names.
// Tested through every family in tests/parity and in tests/unit/model/decoder_config_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/weights/config_json.h"
#include "model/tensor_table.h"

namespace attnviz {

// The values for a file without such a key; 0: the key is required (head width: D / H, key/value heads: H, feed-forward: 4 D).
struct DecoderSizes {
  std::size_t n_layer = 0;
  std::size_t d_model = 0;
  std::size_t n_head = 0;
  std::size_t n_kv_head = 0;
  std::size_t d_head = 0;
  std::size_t d_ffn = 0;
  std::size_t n_vocab = 0;
  std::size_t n_context = 0;
};

// The same for settings that are not sizes.
struct DecoderDefaults {
  std::string_view activation = "silu";
  double epsilon = 1e-6;
  bool tied = false;
  DecoderSizes sizes;
};

// A family's names for the settings. Empty: it has no such key, and the default applies.
struct DecoderKeys {
  std::string_view n_layer = "num_hidden_layers";
  std::string_view d_model = "hidden_size";
  std::string_view n_head = "num_attention_heads";
  std::string_view n_kv_head = "num_key_value_heads";
  std::string_view d_head = "head_dim";
  std::string_view d_ffn = "intermediate_size";
  std::string_view activation = "hidden_act";
  std::string_view epsilon = "rms_norm_eps";
  DecoderDefaults defaults;
};

// Sizes, activation, epsilon, limit of a causal model with norms before its blocks; the position table and RoPE are the family's.
StackSpec read_decoder_stack(const ConfigObject& config, const DecoderKeys& keys = {});

// The same with the design that Llama introduced: RMS norms, a gated feed-forward, and no position table.
StackSpec read_llama_stack(const ConfigObject& config, const DecoderKeys& keys = {});

// The tokens that end a text: "eos_token_id" is one, several, or none. Ids that the model does not have are left out, as nothing
// can generate them.
std::vector<std::int32_t> read_end_ids(const ConfigObject& config, std::size_t n_vocab);

// Largest plausible number of tokens and length of a window.
inline constexpr std::size_t kMostTokens = 2147483647;

// A whole number from 1 on; `fallback` 0: the file must have it. Throws Error(kModel) that names the key.
std::size_t read_size(const ConfigObject& config, std::string_view key, std::size_t fallback, std::size_t most);

// Which layers see only a window: "layer_types" where the file has it, else `fallback`. Throws for types that are not known.
std::vector<bool> read_sliding_layers(const ConfigObject& config, std::vector<bool> fallback);

// Layers where is_sliding is true get `sliding`, the others stack->attention.
void set_layer_kinds(StackSpec* stack, const std::vector<bool>& is_sliding, AttentionSpec sliding);

struct LlamaTensors {
  bool qkv_bias = false;
  bool output_bias = false;
  bool ffn_bias = false;
};

void add_matrix(TensorTable* table, TensorRole role, const std::string& stem, std::vector<Dim> shape, bool with_bias);
// The output matrix beside the model proper; nothing where the word embedding serves as one.
void add_lm_head(TensorTable* table, const StackSpec& stack, const std::string& name);
// "embed_tokens", "layers.{layer}.", "norm", "lm_head" as Llama names them; the norms of a layer are the family's.
void add_llama_tensors(TensorTable* table, const StackSpec& stack, const LlamaTensors& options);
// input_layernorm and post_attention_layernorm before the two blocks.
void add_llama_norms(TensorTable* table);

}  // namespace attnviz
