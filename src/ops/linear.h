// y = x W^T + b, with W kept in its stored type (f32, f16, bf16, blocks) and unpacked panel by panel.
//
// Every output element is one fixed chain of fused multiply-adds over k, whatever the number of rows, threads or the place of the
// element in a tile: the same row gives the same bits alone, in a batch, or as part of a head subset.
// Tested in tests/unit/ops/linear_test.cpp against a naive version.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>

#include "base/thread_pool.h"

namespace attnviz {

struct LinearArgs {
  const float* x = nullptr;  // [M, K], row stride x_stride
  std::size_t n_rows = 0;    // M
  std::size_t x_stride = 0;
  TensorView weight;            // [N, K] rows are outputs; data aligned to its element
  const float* bias = nullptr;  // [N] or null
  float* y = nullptr;           // [M, N], row stride y_stride
  std::size_t y_stride = 0;

  // The weight is stored [K, N'] instead, columns are outputs, and [first_output, first_output + n_outputs) of them are meant.
  bool transposed = false;
  std::size_t first_output = 0;
  std::size_t n_outputs = 0;
};

// Sums in an order of their own, which is faster for a single row: its bits are then not those of the same row among others. Any
// number of threads still gives the same.
void linear_one_row(ThreadPool& pool, const LinearArgs& args);

void linear(ThreadPool& pool, const LinearArgs& args);

// Rows [begin, begin + n) of a weight matrix: the outputs of some heads. Whole heads, where rows are interleaved within them.
TensorView weight_rows(const TensorView& weight, std::size_t begin, std::size_t n);

}  // namespace attnviz
