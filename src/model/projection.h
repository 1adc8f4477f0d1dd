// y = x W^T + b for bound matrices: whole ones and the rows of chosen heads, wherever in a stored tensor they lie.
// Tested through every family in tests/parity.
#pragma once

#include "base/thread_pool.h"
#include "model/binder.h"

#include <cstddef>
#include <span>

namespace attnviz {

struct Projection {
  const TensorSet* set = nullptr;
  TensorRole role = TensorRole::kQuery;
  const float* x = nullptr;  // [M, d_in]
  std::size_t n_rows = 0;    // M
  std::size_t d_in = 0;
  float* y = nullptr;
  bool any_order = false;  // see linear_one_row
};

// y [M, d_out]
void project(ThreadPool& pool, const Projection& projection, std::size_t d_out);

// y [M, heads.size() * K], in the heads' order; neighbouring heads go together where their rows do.
void project_heads(ThreadPool& pool, const Projection& projection, std::span<const std::size_t> heads, std::size_t d_head);

}  // namespace attnviz
