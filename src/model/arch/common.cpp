// See common.h.
#include "model/arch/common.h"

#include <attnviz/error.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnviz {
namespace {

// gelu_fast and gelu_accurate are the tanh form with the same constants in another order of operations.
constexpr std::array<std::pair<std::string_view, Activation>, 9> kActivations = {{
    {"gelu", Activation::kGelu},
    {"gelu_python", Activation::kGelu},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_accurate", Activation::kGeluTanh},
    {"relu", Activation::kRelu},
    {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},
}};

}  // namespace

Activation read_activation(const ConfigObject& config, std::string_view key, std::string_view fallback) {
  const std::string name = config.text(key, fallback);
  std::vector<std::string_view> known;
  for (const auto& [spelling, activation] : kActivations) {
    if (spelling == name) return activation;
    known.push_back(spelling);
  }
  throw Error(ErrorKind::kModel,
              fmt::format("{}: {} '{}' is not supported; expected one of {}", config.where(), key, name, fmt::join(known, ", ")));
}

void require_text(const ConfigObject& config, std::string_view key, std::string_view only_value) {
  const std::string value = config.text(key, only_value);
  if (value == only_value) return;
  throw Error(ErrorKind::kModel,
              fmt::format("{}: {} '{}' is not supported; expected '{}'", config.where(), key, value, only_value));
}

void require_off(const ConfigObject& config, std::string_view key) {
  if (!config.flag(key, false)) return;
  throw Error(ErrorKind::kModel, fmt::format("{}: {} is not supported; expected false, found true", config.where(), key));
}

ModelConfig read_encoder_config(const ConfigObject& config, std::string_view family, const ConfigKeys& keys) {
  ModelConfig model;
  model.family = family;
  model.n_layer = config.size(keys.n_layer);
  model.d_model = config.size(keys.d_model);
  model.embedding.n_vocab = config.size("vocab_size");
  model.embedding.n_position = config.size("max_position_embeddings");
  if (!keys.n_segment.empty()) model.embedding.n_segment = config.size(keys.n_segment, 2);
  model.embedding.d_embedding = model.d_model;
  model.ffn.d_ffn = config.size(keys.d_ffn);
  model.ffn.activation = read_activation(config, keys.activation, keys.default_activation);
  if (!keys.epsilon.empty()) model.norm.epsilon = static_cast<float>(config.number(keys.epsilon, 1e-12));

  AttentionSpec& attention = model.attention;
  attention.n_head = attention.n_kv_head = config.size(keys.n_head);
  if (attention.n_head == 0 || model.d_model % attention.n_head != 0) {
    throw Error(ErrorKind::kModel, fmt::format("{}: {} {} is not usable; expected a divisor of {} {}", config.where(), keys.n_head,
                                               attention.n_head, keys.d_model, model.d_model));
  }
  attention.d_head = model.d_model / attention.n_head;
  attention.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.d_head)));
  require_text(config, "position_embedding_type", "absolute");
  require_off(config, "is_decoder");
  require_off(config, "add_cross_attention");
  return model;
}

ModelConfig read_roberta_config(const ConfigObject& config, std::string_view family) {
  ModelConfig model = read_encoder_config(config, family);
  const std::size_t pad_id = config.size("pad_token_id", 1);
  if (pad_id >= model.embedding.n_vocab) {
    throw Error(ErrorKind::kModel, fmt::format("{}: pad_token_id {} is not usable; expected an id below vocab_size {}",
                                               config.where(), pad_id, model.embedding.n_vocab));
  }
  model.embedding.position_offset = pad_id + 1;
  model.embedding.unnumbered_id = static_cast<std::int32_t>(pad_id);
  return model;
}

void add_embedding_tensors(TensorTable* table, const ModelConfig& model) {
  table->add(TensorRole::kWordEmbedding, "embeddings.word_embeddings.weight", {Dim::kVocab, Dim::kEmbedding});
  if (model.embedding.n_position > 0) {
    table->add(TensorRole::kPositionEmbedding, "embeddings.position_embeddings.weight", {Dim::kPosition, Dim::kEmbedding});
  }
  if (model.embedding.n_segment > 0) {
    table->add(TensorRole::kSegmentEmbedding, "embeddings.token_type_embeddings.weight", {Dim::kSegment, Dim::kEmbedding});
  }
  table->add_norm(TensorRole::kEmbeddingNorm, "embeddings.LayerNorm", Dim::kEmbedding);
}

void add_bert_layer_tensors(TensorTable* table, const ModelConfig& model) {
  const std::string layer = "encoder.layer.{layer}.";
  table->add_linear(TensorRole::kQuery, layer + "attention.self.query", Dim::kQuery, Dim::kModel);
  table->add_linear(TensorRole::kKey, layer + "attention.self.key", Dim::kKeyValue, Dim::kModel);
  table->add_linear(TensorRole::kValue, layer + "attention.self.value", Dim::kKeyValue, Dim::kModel);
  add_bert_output_tensors(table);
  table->number_layers(model.n_layer);
}

void add_bert_output_tensors(TensorTable* table) {
  const std::string layer = "encoder.layer.{layer}.";
  table->add_linear(TensorRole::kOutput, layer + "attention.output.dense", Dim::kModel, Dim::kQuery);
  table->add_norm(TensorRole::kAttentionNorm, layer + "attention.output.LayerNorm", Dim::kModel);
  table->add_linear(TensorRole::kFfnUp, layer + "intermediate.dense", Dim::kFfn, Dim::kModel);
  table->add_linear(TensorRole::kFfnDown, layer + "output.dense", Dim::kModel, Dim::kFfn);
  table->add_norm(TensorRole::kFfnNorm, layer + "output.LayerNorm", Dim::kModel);
}

TensorTable bert_tensors(const ModelConfig& model, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, model);
  add_bert_layer_tensors(&table, model);
  return table;
}

}  // namespace attnviz
