// MPNet (Song et al. 2020, "MPNet: Masked and Permuted Pre-training for Language Understanding"): no segments; positions are
// numbered as RoBERTa does, after the pad token's id, and pad tokens take none; one table of bucketed relative position biases
// serves every layer. The reference computes 32 buckets up to a distance of 128 whatever the config says, so no other count can
// be meant. Parity: tests/parity/data/mpnet, relative_buckets.
#include <attnviz/error.h>

#include <fmt/format.h>

#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

constexpr std::int32_t kPadId = 1;  // fixed in the reference, whatever pad_token_id says
constexpr std::size_t kNBuckets = 32;

StackSpec read_stack(const ConfigObject& config) {
  ConfigKeys keys;
  keys.n_segment = "";
  StackSpec stack = read_encoder_stack(config, keys);
  stack.embedding.position_offset = kPadId + 1;
  stack.embedding.unnumbered_id = kPadId;
  set_masked_head(&stack, config, Activation::kGelu, stack.d_model);
  const std::size_t n_buckets = config.size("relative_attention_num_buckets", kNBuckets);
  if (n_buckets != kNBuckets) {
    throw Error(ErrorKind::kModel, fmt::format("{}: relative_attention_num_buckets is not supported; expected {}, found {}",
                                               config.where(), kNBuckets, n_buckets));
  }
  stack.attention.relative_bias = RelativeBiasSpec{.n_buckets = kNBuckets, .max_distance = 128, .bidirectional = true};
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  table.add(TensorRole::kRelativeBias, "encoder.relative_attention_bias.weight", {Dim::kBucket, Dim::kHead});
  table.tensors.back().unpack = true;
  const std::string layer = "encoder.layer.{layer}.";
  table.add_linear(TensorRole::kQuery, layer + "attention.attn.q", Dim::kQuery, Dim::kModel);
  table.add_linear(TensorRole::kKey, layer + "attention.attn.k", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kValue, layer + "attention.attn.v", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kOutput, layer + "attention.attn.o", Dim::kModel, Dim::kQuery);
  table.add_norm(TensorRole::kAttentionNorm, layer + "attention.LayerNorm", Dim::kModel);
  table.add_linear(TensorRole::kFfnUp, layer + "intermediate.dense", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "output.dense", Dim::kModel, Dim::kFfn);
  table.add_norm(TensorRole::kFfnNorm, layer + "output.LayerNorm", Dim::kModel);
  add_masked_head(&table, stack, roberta_head_names());
  table.number_layers(stack.n_layer);
  return table;
}

}  // namespace

const Family kMpnet = {"mpnet", read_stack, expected_tensors};

}  // namespace attnviz
