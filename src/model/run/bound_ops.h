// Operations of ops/ on bound tensors: y = x W^T + b for whole matrices and for the rows of chosen heads, wherever in a stored
// tensor they are; and norms of either kind. Tested through every family in tests/parity.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "model/binder.h"

namespace attnviz {

struct Projection {
  const TensorSet* set = nullptr;
  TensorRole role = TensorRole::kQuery;
  const float* x = nullptr;  // [M, d_in]
  std::size_t n_rows = 0;    // M
  std::size_t d_in = 0;
  float* y = nullptr;
  bool any_order = false;                    // see linear_one_row
  std::optional<TensorRole> bias_role = {};  // of the bias, where it does not follow the matrix's role
};

// y [M, d_out]
void project(ThreadPool& pool, const Projection& projection, std::size_t d_out);

// y [M, heads.size() * K], in the heads' order; neighbouring heads go together where their rows do.
void project_heads(ThreadPool& pool, const Projection& projection, std::span<const std::size_t> heads, std::size_t d_head);

// One head's columns of an output projection W_O [D, H*K], as a matrix [D, K] of its own.
std::vector<float> output_weights_of_head(const TensorSet& set, TensorRole role, std::size_t head, std::size_t d_head);

struct NormRows {
  const float* x = nullptr;         // [M, width]
  const float* residual = nullptr;  // [M, width], added first; null: none
  std::size_t n_rows = 0;           // M
  std::size_t width = 0;
  float* y = nullptr;  // [M, width]; may be x or residual
};

// The norm whose weights have that role; its bias, where there is one, has the next.
void normalise(ThreadPool& pool, const NormSpec& spec, const TensorSet& set, TensorRole role, const NormRows& rows);

}  // namespace attnviz
