// See disentangled_positions.h.
#include "model/run/disentangled_positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "model/run/bound_ops.h"
#include "ops/embedding.h"
#include "ops/norm.h"

namespace attnviz {
namespace {

// Distances up to half the buckets keep their number; farther ones share logarithmically wider buckets.
std::ptrdiff_t log_bucket(const DisentangledSpec& spec, std::ptrdiff_t distance) {
  const auto middle = static_cast<std::ptrdiff_t>(spec.span / 2);
  const std::ptrdiff_t size = std::abs(distance);
  if (size <= middle) return distance;
  // In f32 and in the reference's order: where the logarithm is a whole number, rounding decides the bucket.
  const float part = std::log(static_cast<float>(size) / static_cast<float>(middle)) /
                     std::log(static_cast<float>(static_cast<double>(spec.max_distance - 1) / static_cast<double>(middle)));
  const auto bucket = static_cast<std::ptrdiff_t>(std::ceil(part * static_cast<float>(middle - 1))) + middle;
  return distance > 0 ? bucket : -bucket;
}

}  // namespace

std::size_t distance_row(const DisentangledSpec& spec, std::ptrdiff_t query_minus_key) {
  const auto span = static_cast<std::ptrdiff_t>(spec.span);
  const std::ptrdiff_t place = spec.log_buckets ? log_bucket(spec, query_minus_key) : query_minus_key;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place + span, 0, 2 * span - 1));
}

DisentangledPositions::DisentangledPositions(ThreadPool& pool, const StackSpec& stack, const TensorSet& model,
                                             std::size_t n_distance)
    : stack_(stack), n_distance_(n_distance) {
  const DisentangledSpec& spec = *stack.attention.disentangled;
  for (std::size_t i = 0; i + 1 < 2 * n_distance; ++i) {
    const auto distance = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(n_distance - 1);
    rows_.push_back(static_cast<std::int32_t>(distance_row(spec, distance)));
  }
  const std::int32_t first = rows_.front();  // a larger distance never has a smaller row
  n_row_ = static_cast<std::size_t>(rows_.back() - first) + 1;
  for (std::int32_t& row : rows_) row -= first;

  std::vector<std::int32_t> used(n_row_);
  std::iota(used.begin(), used.end(), first);
  embeddings_.resize(n_row_ * stack.d_model);
  embed_rows(model.matrix(TensorRole::kDistanceEmbedding), used, false, embeddings_.data());
  const float* gamma = model.vector(TensorRole::kDistanceNorm);
  if (gamma == nullptr) return;
  layer_norm(pool, {embeddings_.data(), nullptr, gamma, model.vector(TensorRole::kDistanceNormBias), stack.norm.epsilon, n_row_,
                    stack.d_model, embeddings_.data()});
}

const ScoreTerm* DisentangledPositions::project(ThreadPool& pool, const TensorSet& layer, std::span<const std::size_t> heads) {
  const DisentangledSpec& spec = *stack_.attention.disentangled;
  const std::size_t d_head = stack_.attention.d_head;
  DisentangledArgs args;
  args.scale = stack_.attention.scale;
  args.n_positions = n_row_;
  args.stride = heads.size() * d_head;
  args.rows = rows_;
  args.n_distance = n_distance_;
  const auto rows_of = [&](TensorRole role, std::vector<float>& values) {
    values.resize(n_row_ * args.stride);
    project_heads(pool, {&layer, role, embeddings_.data(), n_row_, stack_.d_model, values.data()}, heads, d_head);
    return values.data();
  };
  if (spec.content_to_position) {
    args.position_keys = rows_of(spec.shared_projections ? TensorRole::kKey : TensorRole::kPositionKey, keys_);
  }
  if (spec.position_to_content) {
    args.position_queries = rows_of(spec.shared_projections ? TensorRole::kQuery : TensorRole::kPositionQuery, queries_);
  }
  term_.emplace(args, pool.n_threads());
  return &*term_;
}

}  // namespace attnviz
