// The tensors a model must have, as rows of a table: role, name in the file, shape in symbols.
//
// A family's file lists its rows; the binder (binder.h) finds each row in a weight source and reports every shape error. Symbols
// are those of docs/NOTATION.md, so that a message can say both "[F, D]" and "[1536, 384]".
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

enum class Dim : std::uint8_t {
  kVocab,          // V
  kPosition,       // P rows of the position table
  kSegment,        // S rows of the segment table
  kEmbedding,      // E
  kModel,          // D
  kQuery,          // H*K
  kKeyValue,       // G*K
  kHead,           // H
  kFfn,            // F
  kBucket,         // B buckets of relative distance
  kHeadWidth,      // K
  kDistance,       // R rows for distances
  kTransform,      // width of the output head's transform
  kSource,         // width of the encoder's stream
  kCrossQuery,     // H*K of cross-attention
  kCrossKeyValue,  // G*K of cross-attention
};

std::size_t dim_size(const StackSpec& stack, Dim dim);
Shape dim_sizes(const StackSpec& stack, std::span<const Dim> dims);

// What a tensor is for. A matrix or norm weight is followed by its bias, so that bias_of is the next value.
enum class TensorRole : std::uint8_t {
  // once per stack
  kWordEmbedding,
  kPositionEmbedding,
  kSegmentEmbedding,
  kEmbeddingNorm,
  kEmbeddingNormBias,
  kEmbeddingProjection,
  kEmbeddingProjectionBias,
  kRelativeBias,
  kDistanceEmbedding,  // see DisentangledSpec
  kDistanceNorm,
  kDistanceNormBias,
  kOutputProjection,  // [E, D], between the final norm and an output matrix of width E
  kOutputProjectionBias,
  kFinalNorm,  // before the output matrix; no layer reads it
  kFinalNormBias,
  kHeadTransform,  // see OutputSpec::transform
  kHeadTransformBias,
  kHeadNorm,
  kHeadNormBias,
  kLmHead,  // output matrix [V, D]
  kLmHeadBias,
  // once per layer
  kQuery,
  kQueryBias,
  kKey,
  kKeyBias,
  kValue,
  kValueBias,
  kPositionKey,  // see DisentangledSpec
  kPositionKeyBias,
  kPositionQuery,
  kPositionQueryBias,
  kQueryNorm,  // [K], see AttentionSpec::qk_norm
  kQueryNormBias,
  kKeyNorm,
  kKeyNormBias,
  kOutput,
  kOutputBias,
  kAttentionNorm,
  kAttentionNormBias,
  kAttentionPostNorm,  // the second norm of NormPlacement::kSandwich
  kAttentionPostNormBias,
  kCrossQuery,  // see CrossAttentionSpec
  kCrossQueryBias,
  kCrossKey,
  kCrossKeyBias,
  kCrossValue,
  kCrossValueBias,
  kCrossOutput,
  kCrossOutputBias,
  kCrossNorm,
  kCrossNormBias,
  kFfnGate,
  kFfnGateBias,
  kFfnUp,
  kFfnUpBias,
  kFfnDown,
  kFfnDownBias,
  kFfnNorm,
  kFfnNormBias,
  kFfnPostNorm,
  kFfnPostNormBias,
  kCount,
};

inline constexpr std::size_t kNTensorRole = static_cast<std::size_t>(TensorRole::kCount);

constexpr TensorRole bias_of(TensorRole role) { return static_cast<TensorRole>(static_cast<std::size_t>(role) + 1); }

struct TensorSpec {
  TensorRole role = TensorRole::kWordEmbedding;
  std::string pattern;     // name without the checkpoint's prefix; "{layer}" stands for the layer's text
  std::vector<Dim> shape;  // as stored
  bool optional = false;
  bool unpack = false;                     // to f32 at load, whatever its rank; vectors always are
  std::vector<std::string> other_names{};  // patterns that other checkpoints use, in order of preference

  // The stored tensor consists of several parts stacked vertically, whose heights are `fused`; this row is its part `part`, and
  // `shape` is the shape of that part. Only vectors are copied.
  std::vector<Dim> fused{};
  std::size_t part = 0;
  bool head_by_head = false;  // the parts alternate: K rows of each for head 0, then for head 1, ... (parts of equal height only)
  bool transposed = false;    // a matrix that is stored [inputs, outputs]
  bool add_one = false;       // a vector to which 1 is added
  bool not_in_first_layer = false;  // the first layer does not have it
  bool outside = false;             // the name does not follow the checkpoint's whole prefix: "lm_head.weight" beside "model."
  bool ignore_misfit = false;       // a tensor of another shape or type counts as absent: attention does not need it
};

struct TensorTable {
  std::vector<TensorSpec> tensors;  // the first row is required and serves to find the checkpoint's prefix
  std::vector<std::string> layers;  // [L] what "{layer}" becomes; layers of equal text share their weights

  void add(TensorRole role, std::string pattern, std::vector<Dim> shape);
  // y = x W^T + b: stem.weight [out, in] and stem.bias [out]
  void add_linear(TensorRole weight, const std::string& stem, Dim out, Dim in);
  // stem.weight and stem.bias, both [width]; checkpoints of 2018-2019 call them stem.gamma and stem.beta
  void add_norm(TensorRole weight, const std::string& stem, Dim width);
  // stem.weight [width]: a norm without a bias
  void add_rms_norm(TensorRole weight, const std::string& stem, Dim width);
  // Several roles that are stored as one matrix, in this order: stem.weight [sum of heights, in].
  void add_fused(const std::vector<TensorRole>& weights, const std::string& stem, const std::vector<Dim>& heights, Dim in,
                 bool with_bias);
  // The layers 0, 1, ... n - 1, each with weights of its own.
  void number_layers(std::size_t n);
};

// The shape of the tensor in the file, where `shape` is that of a part or turned.
Shape stored_sizes(const StackSpec& stack, const TensorSpec& spec);
std::string stored_text(const TensorSpec& spec);  // "[H*K + G*K + G*K, D]"

// The row's name in a file: prefix + pattern (or old_name) with {layer} replaced.
std::string tensor_name(const std::string& prefix, const std::string& pattern, const std::string& layer);

}  // namespace attnviz
