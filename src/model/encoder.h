// The one forward pass, for every family: a post-norm transformer encoder driven by ModelConfig and the tensors that are bound.
//
//   x = norm(word + segment + position), projected to D where the embedding has a width of its own
//   each layer: x = norm(x + W_o z(x) + b_o); x = norm(x + W_down act(W_up x + b_up) + b_down)   (Vaswani et al. 2017)
//
// Row-wise steps run over the rows of all texts at once, attention text by text. Besides the weights a run holds
// O(sum T * (F + D)) floats. Tested in tests/parity and tests/unit/model/encoder_test.cpp.
#pragma once

#include "model/binder.h"
#include "model/model.h"
#include "model/run_plan.h"

#include <memory>
#include <span>

namespace attnviz {

class Encoder : public Model {
 public:
  Encoder(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source);

  const ModelConfig& config() const override { return config_; }
  void run(ThreadPool& pool, const TokenBatch& batch, const Request& request, std::span<Tap* const> taps) const override;

 private:
  ModelConfig config_;
  std::unique_ptr<WeightSource> source_;  // weights_ points into it
  BoundWeights weights_;
};

}  // namespace attnviz
