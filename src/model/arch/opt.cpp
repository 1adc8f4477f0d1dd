// OPT (Zhang et al. 2022, "OPT: Open Pre-trained Transformer Language Models"): learned positions, whose table begins with two
// unused rows. The 350m model has narrower word rows, projected before positions are added and again before the output matrix.
// Parity: tests/parity/data/opt*.
#include <attnviz/error.h>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/decoder_common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

constexpr std::size_t kPositionOffset = 2;

StackSpec read_stack(const ConfigObject& config) {
  DecoderKeys keys;
  keys.n_kv_head = "";
  keys.d_head = "";
  keys.d_ffn = "ffn_dim";
  keys.activation = "activation_function";
  keys.defaults.activation = "relu";
  keys.epsilon = "";  // 1e-5
  keys.defaults.epsilon = 1e-5;
  keys.defaults.tied = true;
  StackSpec stack = read_decoder_stack(config, keys);
  stack.embedding.position_offset = kPositionOffset;
  stack.embedding.n_position = read_size(config, "max_position_embeddings", 2048, kMostTokens - kPositionOffset) + kPositionOffset;
  if (!config.flag("do_layer_norm_before", true)) stack.norm.placement = NormPlacement::kPost;
  stack.embedding.d_embedding = read_size(config, "word_embed_proj_dim", stack.d_model, kMostTokens);
  stack.embedding.project_words = true;
  if (!config.flag("layer_norm_elementwise_affine", true)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: layer_norm_elementwise_affine false is not supported; expected true", config.where()));
  }
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject& config) {
  const bool bias = config.flag("enable_bias", true);
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "decoder.embed_tokens.weight", {Dim::kVocab, Dim::kEmbedding});
  table.add(TensorRole::kPositionEmbedding, "decoder.embed_positions.weight", {Dim::kPosition, Dim::kModel});
  if (stack.embedding.d_embedding != stack.d_model) {
    add_matrix(&table, TensorRole::kEmbeddingProjection, "decoder.project_in", {Dim::kModel, Dim::kEmbedding}, false);
    add_matrix(&table, TensorRole::kOutputProjection, "decoder.project_out", {Dim::kEmbedding, Dim::kModel}, false);
  }
  const std::string layer = "decoder.layers.{layer}.";
  add_matrix(&table, TensorRole::kQuery, layer + "self_attn.q_proj", {Dim::kQuery, Dim::kModel}, bias);
  add_matrix(&table, TensorRole::kKey, layer + "self_attn.k_proj", {Dim::kKeyValue, Dim::kModel}, bias);
  add_matrix(&table, TensorRole::kValue, layer + "self_attn.v_proj", {Dim::kKeyValue, Dim::kModel}, bias);
  add_matrix(&table, TensorRole::kOutput, layer + "self_attn.out_proj", {Dim::kModel, Dim::kQuery}, bias);
  add_matrix(&table, TensorRole::kFfnUp, layer + "fc1", {Dim::kFfn, Dim::kModel}, bias);
  add_matrix(&table, TensorRole::kFfnDown, layer + "fc2", {Dim::kModel, Dim::kFfn}, bias);
  table.add_norm(TensorRole::kAttentionNorm, layer + "self_attn_layer_norm", Dim::kModel);
  table.add_norm(TensorRole::kFfnNorm, layer + "final_layer_norm", Dim::kModel);
  if (stack.norm.placement == NormPlacement::kPre && !config.flag("_remove_final_layer_norm", false)) {
    table.add_norm(TensorRole::kFinalNorm, "decoder.final_layer_norm", Dim::kModel);
  }
  add_lm_head(&table, stack, "lm_head.weight");
  if (!stack.output.tied) table.tensors.back().shape = {Dim::kVocab, Dim::kEmbedding};
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kOpt = {"opt", read_stack, expected_tensors};

}  // namespace attnviz
