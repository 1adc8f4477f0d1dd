// See decoder_common.h.
#include "model/arch/decoder_common.h"

#include <attnviz/error.h>

#include "model/arch/common.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::size_t kMaxLayers = 4096;  // as ModelConfig::validate; asked before lists of that length are made
constexpr std::size_t kMaxHead = 65536;
constexpr std::size_t kMaxWidth = std::size_t{1} << 24;

std::size_t read_head_width(const ConfigObject& config, const DecoderKeys& keys, const ModelConfig& model) {
  const std::size_t n_head = model.attention.n_head;
  if (!keys.d_head.empty() && (config.has(keys.d_head) || keys.default_d_head > 0)) {
    return read_size(config, keys.d_head, keys.default_d_head, kMaxHead);
  }
  if (model.d_model % n_head == 0 && model.d_model / n_head <= kMaxHead) return model.d_model / n_head;
  throw Error(ErrorKind::kModel, fmt::format("{}: {} {} is not usable; expected a divisor of {} {}", config.where(), keys.n_head,
                                             n_head, keys.d_model, model.d_model));
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

ModelConfig read_decoder_config(const ConfigObject& config, std::string_view family, const DecoderKeys& keys) {
  ModelConfig model;
  model.family = family;
  model.n_layer = read_size(config, keys.n_layer, keys.default_n_layer, kMaxLayers);
  model.d_model = read_size(config, keys.d_model, keys.default_d_model, kMaxWidth);
  model.embedding.n_vocab = read_size(config, "vocab_size", keys.default_n_vocab, kMostTokens);
  model.embedding.d_embedding = model.d_model;
  model.ffn.d_ffn = config.size(keys.d_ffn, keys.default_d_ffn > 0 ? keys.default_d_ffn : 4 * model.d_model);
  model.ffn.activation = read_activation(config, keys.activation, keys.default_activation);
  model.norm.placement = NormPlacement::kPre;
  model.norm.epsilon =
      static_cast<float>(keys.epsilon.empty() ? keys.default_epsilon : config.number(keys.epsilon, keys.default_epsilon));
  model.next_token.available = true;
  model.next_token.end_ids = read_end_ids(config, model.embedding.n_vocab);
  model.next_token.tied = config.flag("tie_word_embeddings", keys.default_tied);

  AttentionSpec& attention = model.attention;
  attention.n_head = read_size(config, keys.n_head, keys.default_n_head, kMaxHead);
  attention.n_kv_head = attention.n_head;
  if (!keys.n_kv_head.empty()) {
    attention.n_kv_head = config.size(keys.n_kv_head, keys.default_n_kv_head > 0 ? keys.default_n_kv_head : attention.n_head);
  }
  attention.d_head = read_head_width(config, keys, model);
  attention.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.d_head)));
  attention.mask.causal = true;
  require_off(config, "add_cross_attention");
  return model;
}

ModelConfig read_llama_config(const ConfigObject& config, std::string_view family, const DecoderKeys& keys) {
  ModelConfig model = read_decoder_config(config, family, keys);
  model.norm.kind = NormKind::kRms;
  model.ffn.gated = true;
  model.n_context = read_size(config, "max_position_embeddings", keys.default_n_context, kMostTokens);
  return model;
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

void set_layer_kinds(ModelConfig* config, const std::vector<bool>& is_sliding, AttentionSpec sliding) {
  if (std::none_of(is_sliding.begin(), is_sliding.end(), [](bool value) { return value; })) return;
  config->attention_kinds = {config->attention, std::move(sliding)};
  config->attention_of_layer.assign(is_sliding.begin(), is_sliding.end());
}

void add_matrix(TensorTable* table, TensorRole role, const std::string& stem, std::vector<Dim> shape, bool with_bias) {
  const Dim out = shape.front();
  table->add(role, stem + ".weight", std::move(shape));
  if (with_bias) table->add(bias_of(role), stem + ".bias", {out});
}

void add_rms_norm(TensorTable* table, TensorRole role, const std::string& name, Dim width) { table->add(role, name, {width}); }

void add_lm_head(TensorTable* table, const ModelConfig& model, const std::string& name) {
  if (model.next_token.tied) return;
  table->add(TensorRole::kLmHead, name, {Dim::kVocab, Dim::kModel});
  table->tensors.back().optional = true;  // a checkpoint of the model proper has none, and maps need none
  table->tensors.back().outside = true;
}

void add_llama_tensors(TensorTable* table, const ModelConfig& model, const LlamaTensors& options) {
  table->add(TensorRole::kWordEmbedding, "embed_tokens.weight", {Dim::kVocab, Dim::kEmbedding});
  const std::string layer = "layers.{layer}.";
  add_matrix(table, TensorRole::kQuery, layer + "self_attn.q_proj", {Dim::kQuery, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kKey, layer + "self_attn.k_proj", {Dim::kKeyValue, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kValue, layer + "self_attn.v_proj", {Dim::kKeyValue, Dim::kModel}, options.qkv_bias);
  add_matrix(table, TensorRole::kOutput, layer + "self_attn.o_proj", {Dim::kModel, Dim::kQuery}, options.output_bias);
  add_matrix(table, TensorRole::kFfnGate, layer + "mlp.gate_proj", {Dim::kFfn, Dim::kModel}, options.ffn_bias);
  add_matrix(table, TensorRole::kFfnUp, layer + "mlp.up_proj", {Dim::kFfn, Dim::kModel}, options.ffn_bias);
  add_matrix(table, TensorRole::kFfnDown, layer + "mlp.down_proj", {Dim::kModel, Dim::kFfn}, options.ffn_bias);
  if (model.attention.qk_norm) {
    add_rms_norm(table, TensorRole::kQueryNorm, layer + "self_attn.q_norm.weight", Dim::kHeadWidth);
    add_rms_norm(table, TensorRole::kKeyNorm, layer + "self_attn.k_norm.weight", Dim::kHeadWidth);
  }
  add_rms_norm(table, TensorRole::kFinalNorm, "norm.weight");
  add_lm_head(table, model, "lm_head.weight");
  table->number_layers(model.n_layer);
}

void add_llama_norms(TensorTable* table) {
  add_rms_norm(table, TensorRole::kAttentionNorm, "layers.{layer}.input_layernorm.weight");
  add_rms_norm(table, TensorRole::kFfnNorm, "layers.{layer}.post_attention_layernorm.weight");
}

}  // namespace attnviz
