// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each row (Ba et al. 2016, "Layer Normalization").
// Tested in tests/unit/ops/norm_test.cpp.
#pragma once

#include "base/thread_pool.h"

#include <cstddef>

namespace attnviz {

struct LayerNormArgs {
  const float* x = nullptr;         // [M, D]
  const float* residual = nullptr;  // [M, D] added to x first; null: none
  const float* gamma = nullptr;     // [D]
  const float* beta = nullptr;      // [D]
  float epsilon = 0;
  std::size_t n_rows = 0;   // M
  std::size_t d_model = 0;  // D
  float* y = nullptr;       // [M, D]; may be x or residual
};

void layer_norm(ThreadPool& pool, const LayerNormArgs& args);

}  // namespace attnviz
