// See decoder_common.h.
#include "model/arch/decoder_common.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/arch/common.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxLayers = 4096;  // as StackSpec::validate; asked before lists of that length are made
constexpr std::size_t kMaxHead = 65536;
constexpr std::size_t kMaxWidth = std::size_t{1} << 24;

std::size_t read_head_width(const ConfigObject& config, const DecoderKeys& keys, const StackSpec& stack) {
  const std::size_t n_head = stack.attention.n_head;
  if (!keys.d_head.empty() && (config.has(keys.d_head) || keys.defaults.sizes.d_head > 0)) {
    return read_size(config, keys.d_head, keys.defaults.sizes.d_head, kMaxHead);
  }
  if (stack.d_model % n_head == 0 && stack.d_model / n_head <= kMaxHead) return stack.d_model / n_head;
  throw Error(ErrorKind::kModel, fmt::format("{}: {} {} is not usable; expected a divisor of {} {}", config.where(), keys.n_head,
                                             n_head, keys.d_model, stack.d_model));
}

}  // namespace

std::size_t read_size(const ConfigObject& config, std::string_view key, std::size_t fallback, std::size_t most) {
  const std::size_t value = fallback == 0 ? config.size(key) : config.size(key, fallback);
  if (value >= 1 && value <= most) return value;
  throw Error(ErrorKind::kModel, fmt::format("{}: {} is not usable; expected 1 to {}, found {}", config.where(), key, most, value));
}

std::vector<std::int32_t> read_end_ids(const ConfigObject& config, std::size_t n_vocab) {
  std::vector<std::int32_t> ids;
  for (const double id : config.number_or_numbers("eos_token_id")) {
    if (id >= 0 && id < static_cast<double>(n_vocab) && id == std::floor(id)) ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

StackSpec read_decoder_stack(const ConfigObject& config, const DecoderKeys& keys) {
  StackSpec stack;
  stack.n_layer = read_size(config, keys.n_layer, keys.defaults.sizes.n_layer, kMaxLayers);
  stack.d_model = read_size(config, keys.d_model, keys.defaults.sizes.d_model, kMaxWidth);
  stack.embedding.n_vocab = read_size(config, "vocab_size", keys.defaults.sizes.n_vocab, kMostTokens);
  stack.embedding.d_embedding = stack.d_model;
  stack.ffn.d_ffn = config.size(keys.d_ffn, keys.defaults.sizes.d_ffn > 0 ? keys.defaults.sizes.d_ffn : 4 * stack.d_model);
  stack.ffn.activation = read_activation(config, keys.activation, keys.defaults.activation);
  stack.norm.placement = NormPlacement::kPre;
  stack.norm.epsilon =
      static_cast<float>(keys.epsilon.empty() ? keys.defaults.epsilon : config.number(keys.epsilon, keys.defaults.epsilon));
  stack.output.kind = OutputKind::kNextToken;
  stack.output.end_ids = read_end_ids(config, stack.embedding.n_vocab);
  stack.output.tied = config.flag("tie_word_embeddings", keys.defaults.tied);

  AttentionSpec& attention = stack.attention;
  attention.n_head = read_size(config, keys.n_head, keys.defaults.sizes.n_head, kMaxHead);
  attention.n_kv_head = attention.n_head;
  if (!keys.n_kv_head.empty()) {
    attention.n_kv_head =
        config.size(keys.n_kv_head, keys.defaults.sizes.n_kv_head > 0 ? keys.defaults.sizes.n_kv_head : attention.n_head);
  }
  attention.d_head = read_head_width(config, keys, stack);
  attention.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.d_head)));
  attention.mask.causal = true;
  require_off(config, "add_cross_attention");
  return stack;
}

StackSpec read_llama_stack(const ConfigObject& config, const DecoderKeys& keys) {
  StackSpec stack = read_decoder_stack(config, keys);
  stack.norm.kind = NormKind::kRms;
  stack.ffn.gated = true;
  stack.n_context = read_size(config, "max_position_embeddings", keys.defaults.sizes.n_context, kMostTokens);
  return stack;
}

std::vector<bool> read_sliding_layers(const ConfigObject& config, std::vector<bool> fallback) {
  if (!config.has("layer_types")) return fallback;
  const std::vector<std::string> types = config.texts("layer_types");
  if (types.size() != fallback.size()) {
    throw Error(ErrorKind::kModel, fmt::format("{}: layer_types is not usable; expected one for each of the {} layers, found {}",
                                               config.where(), fallback.size(), types.size()));
  }
  for (std::size_t layer = 0; layer < types.size(); ++layer) {
    if (types[layer] != "sliding_attention" && types[layer] != "full_attention") {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: layer_types '{}' is not supported; expected full_attention or sliding_attention", config.where(),
                              types[layer]));
    }
    fallback[layer] = types[layer] == "sliding_attention";
  }
  return fallback;
}

void set_layer_kinds(StackSpec* stack, const std::vector<bool>& is_sliding, AttentionSpec sliding) {
  if (std::none_of(is_sliding.begin(), is_sliding.end(), [](bool value) { return value; })) return;
  stack->attention_kinds = {stack->attention, std::move(sliding)};
  stack->attention_of_layer.assign(is_sliding.begin(), is_sliding.end());
}

void add_matrix(TensorTable* table, TensorRole role, const std::string& stem, std::vector<Dim> shape, bool with_bias) {
  const Dim out = shape.front();
  table->add(role, stem + ".weight", std::move(shape));
  if (with_bias) table->add(bias_of(role), stem + ".bias", {out});
}

void add_lm_head(TensorTable* table, const StackSpec& stack, const std::string& name) {
  if (stack.output.tied) return;
  table->add(TensorRole::kLmHead, name, {Dim::kVocab, Dim::kModel});
  table->tensors.back().optional = true;  // a checkpoint of the model proper has none, and maps need none
  table->tensors.back().outside = true;
}

void add_llama_tensors(TensorTable* table, const StackSpec& stack, const LlamaTensors& options) {
  table->add(TensorRole::kWordEmbedding, "embed_tokens.weight", {Dim::kVocab, Dim::kEmbedding});
  const std::string layer = "layers.{layer}.";
  add_matrix(table, TensorRole::kQuery, layer + "self_attn.q_proj", {Dim::kQuery, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kKey, layer + "self_attn.k_proj", {Dim::kKeyValue, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kValue, layer + "self_attn.v_proj", {Dim::kKeyValue, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kOutput, layer + "self_attn.o_proj", {Dim::kModel, Dim::kQuery}, options.output_bias);
  add_matrix(table, TensorRole::kFfnGate, layer + "mlp.gate_proj", {Dim::kFfn, Dim::kModel}, options.ffn_bias);
  add_matrix(table, TensorRole::kFfnUp, layer + "mlp.up_proj", {Dim::kFfn, Dim::kModel}, options.ffn_bias);
  add_matrix(table, TensorRole::kFfnDown, layer + "mlp.down_proj", {Dim::kModel, Dim::kFfn}, options.ffn_bias);
  if (stack.attention.qk_norm) {
    table->add_rms_norm(TensorRole::kQueryNorm, layer + "self_attn.q_norm", Dim::kHeadWidth);
    table->add_rms_norm(TensorRole::kKeyNorm, layer + "self_attn.k_norm", Dim::kHeadWidth);
  }
  table->add_rms_norm(TensorRole::kFinalNorm, "norm", Dim::kModel);
  add_lm_head(table, stack, "lm_head.weight");
  table->number_layers(stack.n_layer);
}

void add_llama_norms(TensorTable* table) {
  table->add_rms_norm(TensorRole::kAttentionNorm, "layers.{layer}.input_layernorm", Dim::kModel);
  table->add_rms_norm(TensorRole::kFfnNorm, "layers.{layer}.post_attention_layernorm", Dim::kModel);
}

}  // namespace attnviz
