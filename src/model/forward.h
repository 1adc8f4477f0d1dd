// The one forward pass, for every family: a transformer driven by ModelConfig and the tensors that are bound.
//
//   x = norm(scale * word + segment + position), each part where the model has it, projected to D where the embedding's width is
//   another; then in each layer attention and feed-forward, with norms where NormPlacement says (model_config.h):
//   z = attention(rope(norm(W_q x)), rope(norm(W_k x)), W_v x), then W_o z; W_down act(W_up x), or W_down (act(W_gate x) * W_up x)
//
// Row-wise steps run over the rows of all texts at once, attention text by text. Besides the weights a run holds
// O(sum T * (F + D)) floats. Tested in tests/parity and tests/unit/model/forward_test.cpp.
#pragma once

#include "model/binder.h"
#include "model/model.h"
#include "model/run_plan.h"

#include <memory>
#include <span>
#include <vector>

namespace attnviz {

class Transformer : public Model {
 public:
  Transformer(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source);

  const ModelConfig& config() const override { return config_; }
  void run(ThreadPool& pool, const TokenBatch& batch, const Request& request, std::span<Tap* const> taps) const override;
  std::vector<float> extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids, const Request& request,
                            std::span<Tap* const> taps) const override;
  std::vector<float> next_token_logits(ThreadPool& pool, const TokenBatch& batch) const override;  // next_token.cpp

 private:
  // next_token.cpp
  void check_predicts() const;  // throws Error(kInput)
  std::vector<float> logits_of(ThreadPool& pool, std::span<const float> last_rows,
                               bool any_order) const;  // [n, V] from rows [n, D] of the stream

  ModelConfig config_;
  std::unique_ptr<WeightSource> source_;  // weights_ points into it
  BoundWeights weights_;
};

}  // namespace attnviz
