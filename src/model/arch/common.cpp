// See common.h.
#include "model/arch/common.h"

#include <attnviz/error.h>

#include <array>
#include <cmath>
#include <iterator>
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

StackSpec read_encoder_stack(const ConfigObject& config, const ConfigKeys& keys) {
  StackSpec stack;
  stack.n_layer = config.size(keys.n_layer);
  stack.d_model = config.size(keys.d_model);
  stack.embedding.n_vocab = config.size("vocab_size");
  stack.embedding.n_position = config.size("max_position_embeddings");
  if (!keys.n_segment.empty()) stack.embedding.n_segment = config.size(keys.n_segment, 2);
  stack.embedding.d_embedding = stack.d_model;
  stack.ffn.d_ffn = config.size(keys.d_ffn);
  stack.ffn.activation = read_activation(config, keys.activation, keys.default_activation);
  if (!keys.epsilon.empty()) stack.norm.epsilon = static_cast<float>(config.number(keys.epsilon, 1e-12));

  AttentionSpec& attention = stack.attention;
  attention.n_head = attention.n_kv_head = config.size(keys.n_head);
  if (attention.n_head == 0 || stack.d_model % attention.n_head != 0) {
    throw Error(ErrorKind::kModel, fmt::format("{}: {} {} is not usable; expected a divisor of {} {}", config.where(), keys.n_head,
                                               attention.n_head, keys.d_model, stack.d_model));
  }
  attention.d_head = stack.d_model / attention.n_head;
  attention.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.d_head)));
  require_text(config, "position_embedding_type", "absolute");
  require_off(config, "is_decoder");
  require_off(config, "add_cross_attention");
  return stack;
}

StackSpec read_roberta_stack(const ConfigObject& config) {
  StackSpec stack = read_encoder_stack(config);
  const std::size_t pad_id = config.size("pad_token_id", 1);
  if (pad_id >= stack.embedding.n_vocab) {
    throw Error(ErrorKind::kModel, fmt::format("{}: pad_token_id {} is not usable; expected an id below vocab_size {}",
                                               config.where(), pad_id, stack.embedding.n_vocab));
  }
  stack.embedding.position_offset = pad_id + 1;
  stack.embedding.unnumbered_id = static_cast<std::int32_t>(pad_id);
  set_masked_head(&stack, config, Activation::kGelu, stack.d_model);
  return stack;
}

void add_embedding_tensors(TensorTable* table, const StackSpec& stack) {
  table->add(TensorRole::kWordEmbedding, "embeddings.word_embeddings.weight", {Dim::kVocab, Dim::kEmbedding});
  if (stack.embedding.n_position > 0) {
    table->add(TensorRole::kPositionEmbedding, "embeddings.position_embeddings.weight", {Dim::kPosition, Dim::kEmbedding});
  }
  if (stack.embedding.n_segment > 0) {
    table->add(TensorRole::kSegmentEmbedding, "embeddings.token_type_embeddings.weight", {Dim::kSegment, Dim::kEmbedding});
  }
  table->add_norm(TensorRole::kEmbeddingNorm, "embeddings.LayerNorm", Dim::kEmbedding);
}

void add_bert_layer_tensors(TensorTable* table, const StackSpec& stack) {
  const std::string layer = "encoder.layer.{layer}.";
  table->add_linear(TensorRole::kQuery, layer + "attention.self.query", Dim::kQuery, Dim::kModel);
  table->add_linear(TensorRole::kKey, layer + "attention.self.key", Dim::kKeyValue, Dim::kModel);
  table->add_linear(TensorRole::kValue, layer + "attention.self.value", Dim::kKeyValue, Dim::kModel);
  add_bert_output_tensors(table);
  table->number_layers(stack.n_layer);
}

void add_bert_output_tensors(TensorTable* table) {
  const std::string layer = "encoder.layer.{layer}.";
  table->add_linear(TensorRole::kOutput, layer + "attention.output.dense", Dim::kModel, Dim::kQuery);
  table->add_norm(TensorRole::kAttentionNorm, layer + "attention.output.LayerNorm", Dim::kModel);
  table->add_linear(TensorRole::kFfnUp, layer + "intermediate.dense", Dim::kFfn, Dim::kModel);
  table->add_linear(TensorRole::kFfnDown, layer + "output.dense", Dim::kModel, Dim::kFfn);
  table->add_norm(TensorRole::kFfnNorm, layer + "output.LayerNorm", Dim::kModel);
}

void set_masked_head(StackSpec* stack, const ConfigObject& config, Activation activation, std::size_t width) {
  stack->output.kind = OutputKind::kMaskedToken;
  stack->output.tied = config.flag("tie_word_embeddings", true);
  stack->output.transform = activation;
  stack->output.d_transform = width;
}

MaskedHeadNames bert_head_names() {
  const std::string stem = "cls.predictions.";
  return {stem + "transform.dense", stem + "transform.LayerNorm", stem + "decoder.weight", stem + "decoder.bias", stem + "bias"};
}

MaskedHeadNames roberta_head_names() {
  return {"lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight", "lm_head.decoder.bias", "lm_head.bias"};
}

void add_masked_head(TensorTable* table, const StackSpec& stack, const MaskedHeadNames& names) {
  const std::size_t first = table->tensors.size();
  table->add_linear(TensorRole::kHeadTransform, names.transform, Dim::kTransform, Dim::kModel);
  table->add_norm(TensorRole::kHeadNorm, names.norm, Dim::kTransform);
  table->add(TensorRole::kLmHeadBias, names.bias, {Dim::kVocab});
  if (!names.other_bias.empty()) table->tensors.back().other_names.push_back(names.other_bias);
  if (!names.other_stem.empty()) {
    constexpr const char* kParts[] = {".dense.weight", ".dense.bias", ".LayerNorm.weight", ".LayerNorm.bias", ".bias"};
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      table->tensors[first + i].other_names.push_back(names.other_stem + kParts[i]);
    }
  }
  if (!stack.output.tied) table->add(TensorRole::kLmHead, names.matrix, {Dim::kVocab, Dim::kTransform});
  for (std::size_t row = first; row < table->tensors.size(); ++row) {
    TensorSpec& spec = table->tensors[row];
    spec.optional = spec.outside = spec.ignore_misfit = true;  // a checkpoint of the model proper has none of it
  }
}

TensorTable bert_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  add_bert_layer_tensors(&table, stack);
  add_masked_head(&table, stack, bert_head_names());
  return table;
}

TensorTable roberta_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  add_bert_layer_tensors(&table, stack);
  add_masked_head(&table, stack, roberta_head_names());
  return table;
}

}  // namespace attnviz
