// The one forward pass, for every family: a stack of transformer layers driven by its StackSpec and the tensors that are bound.
//
// In each layer, with norms where NormPlacement says (model_config.h) and heads side by side:
//   attention        z = softmax(q k^T) v with q = rope(norm(W_q x)), k = rope(norm(W_k x)), v = W_v x;  y = W_o z
//   cross-attention  the same with k and v from the encoder's last stream, where the stack has one
//   feed-forward     y = W_down act(W_up x), or W_down (act(W_gate x) * W_up x)
// and each y goes into the stream. Row-wise steps run over the rows of all texts at once, attention text by text. Besides the
// weights a run holds O(sum T * (F + D)) floats. Tested in tests/parity and tests/unit/model/model_test.cpp.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "model/binder.h"
#include "model/run/buffer.h"
#include "model/run/disentangled_positions.h"
#include "model/run/kv_cache.h"
#include "model/run/rotation.h"
#include "model/run/run_edits.h"
#include "model/run/run_plan.h"
#include "model/run/run_taps.h"

namespace attnviz {

// The encoder's last stream, which cross-attention reads.
struct SourceRows {
  const float* rows = nullptr;             // [sum S, d_source]
  std::span<const std::size_t> offsets{};  // [B + 1]
};

struct StackRunArgs {
  const StackSpec& stack;
  const StackWeights& weights;
  ThreadPool& pool;
  std::span<const std::size_t> offsets;  // [B + 1] rows of each text
  std::span<Tap* const> taps;
  std::span<const Edits> edits;
  StageTimes* times = nullptr;
  KvCache* cache = nullptr;  // the only text goes on from here; null: texts begin
  SourceRows source{};       // where the stack has cross-attention and no cache holds its keys
};

// One run over one batch: its buffers, and the steps that read and write them.
class StackRun {
 public:
  explicit StackRun(const StackRunArgs& args);

  // Makes the first stream, or takes the one that is there.
  void start(const StackInput& input);

  void layer(const LayerPlan& plan);

  std::span<const float> stream() const { return {x_.data(), n_rows_ * stack_.d_model}; }  // [sum T, D]

  // The stream under the final norm, where the stack has one: what a decoder's cross-attention reads.
  std::vector<float> output() const;

 private:
  // Roles of the tensors of one attention of a layer, whose norms and biases follow.
  struct AttentionRoles;

  std::size_t d_query(const AttentionSpec& spec) const { return spec.n_head * spec.d_head; }
  std::size_t d_key(const AttentionSpec& spec) const { return spec.n_kv_head * spec.d_head; }
  std::size_t scratch_size() const;
  bool is_step() const { return cache_ != nullptr && n_rows_ == 1; }  // one more token of a text that goes on

  // The time since the last such call was spent on this stage.
  void lap(double StageTimes::*stage) {
    if (times_ != nullptr) times_->*stage += watch_.lap();
  }

  void self_attention(const LayerPlan& plan);
  void cross_attention(const LayerPlan& plan);
  void make_distances();
  void normalise_heads(const TensorSet& set, TensorRole role, std::size_t n_heads, float* x) const;
  void attend(const LayerPlan& plan, const AttentionPlan& part, const AttentionRoles& roles, AttentionArgs args);
  void feed_forward(const TensorSet& set, const float* x, float* y) const;
  void feed_forward_rows(const TensorSet& set, const float* x, std::size_t n_rows, float* y) const;

  const float* block_input(const TensorSet& set, TensorRole norm, const std::optional<TapPlace>& place) const;
  void add_block(const TensorSet& set, TensorRole norm, TensorRole post_norm, const BlockEdit& block, bool is_shown) const;
  void add_parallel(const LayerPlan& plan, const TensorSet& set);
  void show_norm(const TapPlace& place, const float* x, const float* residual) const;
  void show_projections(const LayerPlan& plan, const AttentionPlan& part, const AttentionArgs& args) const;
  void show_rows(TapKind kind, std::size_t layer, const float* rows) const;

  const StackSpec& stack_;
  const StackWeights& weights_;
  ThreadPool& pool_;
  std::span<const std::size_t> offsets_;
  KvCache* cache_;
  SourceRows source_;
  StageTimes* times_;
  std::size_t n_past_;  // tokens in the cache
  std::size_t n_rows_;  // sum T
  Site site_;           // of the stack's own attention
  RunTaps taps_;
  RunEdits edits_;
  Rotation rotation_;
  FloatBuffer x_;        // [sum T, D] the residual stream
  FloatBuffer normed_;   // [sum T, D] what a block reads, where that is not the stream itself
  FloatBuffer y_;        // [sum T, max(D, E)] what is about to be added to it
  FloatBuffer scratch_;  // q, k, v, z of a layer, or the hidden rows of its feed-forward: the two are never needed at once
  FloatBuffer cross_;    // [2, sum S, G*K] keys and values of a layer's cross-attention, where no cache holds them
  std::vector<float> distance_bias_;  // [H, 2 * n_distance - 1]
  std::size_t n_distance_ = 0;        // tokens of the longest text
  std::optional<DisentangledPositions> disentangled_;
  Stopwatch watch_;
};

// What encode_source keeps: keys and values of every layer's cross-attention over one text's source rows [S, d_source].
void keep_cross_keys(ThreadPool& pool, const StackSpec& stack, const StackWeights& weights, std::span<const float> source,
                     KvCache* cache);

}  // namespace attnviz
