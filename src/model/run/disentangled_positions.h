// The learned positions of disentangled attention (He et al. 2021, "DeBERTa"; He et al. 2023, "DeBERTaV3"): one table of rows for
// the distance query - key, shared by all layers; each layer projects it as it projects tokens, and ops/disentangled.h adds the
// products to the scores. Only the rows that the longest text of a run can reach are computed. Tested in
// tests/unit/model/run/disentangled_positions_test.cpp (every distance's row) and in tests/parity.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/binder.h"
#include "ops/disentangled.h"

namespace attnviz {

// The row of the table [2 * span] for a distance.
std::size_t distance_row(const DisentangledSpec& spec, std::ptrdiff_t query_minus_key);

class DisentangledPositions {
 public:
  // For texts of at most n_distance tokens. `model` must outlive it.
  DisentangledPositions(ThreadPool& pool, const StackSpec& stack, const TensorSet& model, std::size_t n_distance);

  // The layer's term for these heads; valid until the next call.
  const ScoreTerm* project(ThreadPool& pool, const TensorSet& layer, std::span<const std::size_t> heads);

 private:
  const StackSpec& stack_;
  std::size_t n_distance_;
  std::vector<std::int32_t> rows_;  // [2 * n_distance - 1] row of embeddings_ for each distance
  std::size_t n_row_ = 0;           // P
  std::vector<float> embeddings_;   // [P, D]
  std::vector<float> keys_;         // [P, heads * K]
  std::vector<float> queries_;      // [P, heads * K]
  std::optional<DisentangledTerm> term_;
};

}  // namespace attnviz
