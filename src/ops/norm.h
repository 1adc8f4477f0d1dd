// Norms over each row, of x or of x + residual:
//   layer norm  y = (x - mean) / sqrt(variance + epsilon) * gamma + beta    (Ba et al. 2016, "Layer Normalization")
//   RMS norm    y = x / sqrt(mean of squares + epsilon) * gamma             (Zhang & Sennrich 2019)
// Tested in tests/unit/ops/norm_test.cpp.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace attnviz {

struct NormArgs {
  const float* x = nullptr;         // [M, D]
  const float* residual = nullptr;  // [M, D] added to x first; null: none
  const float* gamma = nullptr;     // [D]
  const float* beta = nullptr;      // [D], null: none; an RMS norm has none
  float epsilon = 0;
  std::size_t n_rows = 0;   // M
  std::size_t d_model = 0;  // D
  float* y = nullptr;       // [M, D]; may be x or residual
};

void layer_norm(ThreadPool& pool, const NormArgs& args);
void rms_norm(ThreadPool& pool, const NormArgs& args);

// What those norms subtract from a row and multiply it with before gamma and beta, in f64: y [M, 2] = (mean, 1 / sqrt(variance +
// epsilon)), and for an RMS norm (0, 1 / sqrt(mean of squares + epsilon)). Of args, x, residual, epsilon and the sizes are read.
void norm_factors(const NormArgs& args, bool is_rms, float* y);

}  // namespace attnviz
