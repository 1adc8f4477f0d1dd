// Rotary position embedding (Su et al. 2021, "RoFormer"), in place on the heads of q or k: with p the row's position,
//   y[i]     = x[i] cos(p f_i) - x[i + h] sin(p f_i)
//   y[i + h] = x[i + h] cos(p f_i) + x[i] sin(p f_i)      for i < h = d_rotary / 2
// both times the attention factor; columns from d_rotary on stay. Tested in tests/unit/ops/rope_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"

namespace attnviz {

// cos and sin of the positions 0 .. n - 1, times the attention factor: [n, d_rotary / 2] each. Angles are rounded to f32 as the
// reference's are, or a long text would drift from it.
struct RopeTable {
  std::vector<float> cosines;
  std::vector<float> sines;
};

RopeTable make_rope_table(std::span<const float> frequencies, float attention_factor, std::size_t n_positions);

struct RopeArgs {
  const RopeTable* table = nullptr;
  std::size_t d_rotary = 0;
  bool adjacent_pairs = false;              // x has the pair i in columns 2i and 2i + 1; y has it where the formula says
  std::span<const std::int32_t> positions;  // [M], each below the table's rows
  float* x = nullptr;                       // [M, n_heads * K], row stride x_stride
  std::size_t x_stride = 0;
  std::size_t n_heads = 0;
  std::size_t d_head = 0;  // K
};

void rope(ThreadPool& pool, const RopeArgs& args);

}  // namespace attnviz
