// DeBERTa v2 and v3 (He et al. 2021, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention"; He et al. 2023, "DeBERTaV3"):
// BERT's layers, with scores that know the distance through products with learned positions. The scale counts the kinds of scores:
// 1/sqrt(K * (1 + kinds of position scores)). Not computed, and refused: the convolution of the xlarge models, and embeddings of a
// width of their own. Parity: tests/parity/data/deberta_*.
#include <attnviz/error.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

[[noreturn]] void fail(const ConfigObject& config, std::string_view key, const std::string& expected, const std::string& found) {
  throw Error(ErrorKind::kModel,
              fmt::format("{}: {} is not supported; expected {}, found {}", config.where(), key, expected, found));
}

// A setting for which files write -1 where they mean none.
std::size_t size_or_none(const ConfigObject& config, std::string_view key) {
  const double value = config.number(key, -1);
  if (value < 1) return 0;
  if (value > 1e9 || value != std::floor(value)) fail(config, key, "a whole number up to 1000000000", fmt::format("{}", value));
  return static_cast<std::size_t>(value);
}

// "c2p|p2c", or the same as an array.
std::vector<std::string> words_of(const ConfigObject& config, std::string_view key) {
  if (!config.is_text(key)) return config.texts(key);
  std::vector<std::string> words(1);
  for (const char c : config.text(key)) {
    if (c == '|') {
      words.emplace_back();
    } else if (c != ' ') {
      words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

DisentangledSpec read_positions(const ConfigObject& config) {
  DisentangledSpec spec;
  for (const std::string& type : words_of(config, "pos_att_type")) {
    if (type != "c2p" && type != "p2c") fail(config, "pos_att_type", "c2p and p2c", fmt::format("'{}'", type));
    (type == "c2p" ? spec.content_to_position : spec.position_to_content) = true;
  }
  spec.max_distance = size_or_none(config, "max_relative_positions");
  if (spec.max_distance == 0) spec.max_distance = config.size("max_position_embeddings");
  const std::size_t n_buckets = size_or_none(config, "position_buckets");
  spec.log_buckets = n_buckets > 0;
  spec.span = spec.log_buckets ? n_buckets : spec.max_distance;
  spec.shared_projections = config.flag("share_att_key", false);
  return spec;
}

bool has_distance_norm(const ConfigObject& config) {
  bool has_norm = false;
  for (const std::string& word : words_of(config, "norm_rel_ebd")) {
    if (word != "layer_norm" && word != "none") fail(config, "norm_rel_ebd", "layer_norm or none", fmt::format("'{}'", word));
    has_norm = has_norm || word == "layer_norm";
  }
  return has_norm;
}

void refuse_variants(const ConfigObject& config, const StackSpec& stack) {
  if (size_or_none(config, "conv_kernel_size") > 0) fail(config, "conv_kernel_size", "0", "a convolution");
  const std::size_t d_embedding = config.size("embedding_size", stack.d_model);
  if (d_embedding != stack.d_model)
    fail(config, "embedding_size", fmt::format("{}", stack.d_model), fmt::format("{}", d_embedding));
  const std::size_t d_head = config.size("attention_head_size", stack.attention.d_head);
  if (d_head == stack.attention.d_head) return;
  fail(config, "attention_head_size", fmt::format("{}", stack.attention.d_head), fmt::format("{}", d_head));
}

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_encoder_stack(config);
  refuse_variants(config, stack);
  set_masked_head(&stack, config, stack.ffn.activation, stack.d_model);
  stack.norm.epsilon = static_cast<float>(config.number("layer_norm_eps", 1e-7));
  stack.embedding.n_segment = config.size("type_vocab_size", 0);
  if (!config.flag("position_biased_input", true)) {
    stack.n_context = stack.embedding.n_position;
    stack.embedding.n_position = 0;
  }
  const DisentangledSpec positions = read_positions(config);
  const int n_kind = 1 + (positions.content_to_position ? 1 : 0) + (positions.position_to_content ? 1 : 0);
  stack.attention.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(stack.attention.d_head) * n_kind));
  if (config.flag("relative_attention", false) && n_kind > 1) stack.attention.disentangled = positions;
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  const std::string layer = "encoder.layer.{layer}.";
  if (const auto& positions = stack.attention.disentangled) {
    table.add(TensorRole::kDistanceEmbedding, "encoder.rel_embeddings.weight", {Dim::kDistance, Dim::kModel});
    if (has_distance_norm(config)) table.add_norm(TensorRole::kDistanceNorm, "encoder.LayerNorm", Dim::kModel);
    if (!positions->shared_projections && positions->content_to_position) {
      table.add_linear(TensorRole::kPositionKey, layer + "attention.self.pos_key_proj", Dim::kQuery, Dim::kModel);
    }
    if (!positions->shared_projections && positions->position_to_content) {
      table.add_linear(TensorRole::kPositionQuery, layer + "attention.self.pos_query_proj", Dim::kQuery, Dim::kModel);
    }
  }
  table.add_linear(TensorRole::kQuery, layer + "attention.self.query_proj", Dim::kQuery, Dim::kModel);
  table.add_linear(TensorRole::kKey, layer + "attention.self.key_proj", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kValue, layer + "attention.self.value_proj", Dim::kKeyValue, Dim::kModel);
  add_bert_output_tensors(&table);
  MaskedHeadNames head = bert_head_names();
  head.other_stem = "lm_predictions.lm_head";  // since "legacy": false
  add_masked_head(&table, stack, head);
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kDebertaV2 = {"deberta-v2", read_stack, expected_tensors};

}  // namespace attnviz
