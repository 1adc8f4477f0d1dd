// See readout.h.
#include "model/run/readout.h"

#include <cmath>
#include <utility>

#include "model/run/bound_ops.h"
#include "ops/activation.h"
#include "ops/norm.h"

namespace attnviz {
namespace {

TensorRole output_role(const OutputSpec& spec) { return spec.tied ? TensorRole::kWordEmbedding : TensorRole::kLmHead; }

// norm(activation(W x + b)) [n, d_transform]
std::vector<float> transform(const Readout& readout, const std::vector<float>& rows, std::size_t n_rows) {
  const OutputSpec& spec = readout.stack.output;
  const std::size_t width = spec.d_transform;
  std::vector<float> y(n_rows * width);
  project(readout.pool,
          {&readout.set, TensorRole::kHeadTransform, rows.data(), n_rows, readout.stack.d_model, y.data(), readout.any_order},
          width);
  activate(readout.pool, *spec.transform, y.data(), y.size());
  normalise(readout.pool, readout.stack.norm, readout.set, TensorRole::kHeadNorm, {y.data(), nullptr, n_rows, width, y.data()});
  return y;
}

}  // namespace

bool has_output_weights(const StackSpec& stack, const TensorSet& set) {
  if (!set.has_matrix(output_role(stack.output))) return false;
  return !stack.output.transform || (set.has_matrix(TensorRole::kHeadTransform) && set.vector(TensorRole::kHeadNorm) != nullptr);
}

std::vector<float> read_logits(const Readout& readout, std::span<const float> stream_rows) {
  const auto& [pool, stack, set, any_order] = readout;
  const OutputSpec& spec = stack.output;
  const std::size_t n_rows = stream_rows.size() / stack.d_model;
  std::size_t width = stack.d_model;
  std::vector<float> rows(stream_rows.begin(), stream_rows.end());
  if (set.vector(TensorRole::kFinalNorm) != nullptr) {
    normalise(pool, stack.norm, set, TensorRole::kFinalNorm, {rows.data(), nullptr, n_rows, width, rows.data()});
  }
  if (spec.transform) {
    rows = transform(readout, rows, n_rows);
    width = spec.d_transform;
  }
  if (set.has_matrix(TensorRole::kOutputProjection)) {
    width = stack.embedding.d_embedding;
    std::vector<float> projected(n_rows * width);
    project(pool, {&set, TensorRole::kOutputProjection, rows.data(), n_rows, stack.d_model, projected.data(), any_order}, width);
    rows = std::move(projected);
  }
  const std::size_t n_vocab = stack.embedding.n_vocab;
  std::vector<float> logits(n_rows * n_vocab);
  project(pool, {&set, output_role(spec), rows.data(), n_rows, width, logits.data(), any_order, TensorRole::kLmHeadBias}, n_vocab);
  if (spec.softcap > 0) {
    for (float& logit : logits) logit = spec.softcap * std::tanh(logit / spec.softcap);
  }
  return logits;
}

std::vector<float> final_norm_factors(const Readout& readout, std::span<const float> stream_rows) {
  const StackSpec& stack = readout.stack;
  if (readout.set.vector(TensorRole::kFinalNorm) == nullptr) return {};
  const std::size_t n_rows = stream_rows.size() / stack.d_model;
  std::vector<float> factors(n_rows * 2);
  norm_factors({stream_rows.data(), nullptr, nullptr, nullptr, stack.norm.epsilon, n_rows, stack.d_model, nullptr},
               stack.norm.kind == NormKind::kRms, factors.data());
  return factors;
}

}  // namespace attnviz
