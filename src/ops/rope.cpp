// See rope.h. Plain loops: a rotation is a few operations a value, where making the value took thousands.
#include "ops/rope.h"

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

constexpr std::size_t kValuesATask = 8192;

// pairs: [d_rotary] scratch
void rotate_head(const RopeArgs& args, std::size_t position, float* pairs, float* x) {
  const std::size_t half = args.d_rotary / 2;
  const float* cosines = args.table->cosines.data() + position * half;
  const float* sines = args.table->sines.data() + position * half;
  if (args.adjacent_pairs) {
    std::copy_n(x, args.d_rotary, pairs);
    for (std::size_t i = 0; i < half; ++i) {
      x[i] = pairs[2 * i];
      x[i + half] = pairs[2 * i + 1];
    }
  }
  for (std::size_t i = 0; i < half; ++i) {
    const float first = x[i];
    const float second = x[i + half];
    x[i] = first * cosines[i] - second * sines[i];
    x[i + half] = second * cosines[i] + first * sines[i];
  }
}

}  // namespace

RopeTable make_rope_table(std::span<const float> frequencies, float attention_factor, std::size_t n_positions) {
  RopeTable table;
  table.cosines.reserve(n_positions * frequencies.size());
  table.sines.reserve(n_positions * frequencies.size());
  for (std::size_t position = 0; position < n_positions; ++position) {
    for (const float frequency : frequencies) {
      const float angle = static_cast<float>(position) * frequency;
      table.cosines.push_back(std::cos(angle) * attention_factor);
      table.sines.push_back(std::sin(angle) * attention_factor);
    }
  }
  return table;
}

void rope(ThreadPool& pool, const RopeArgs& args) {
  const std::size_t width = args.n_heads * args.d_head;
  if (width == 0) return;
  const std::size_t rows_a_task = std::max<std::size_t>(1, kValuesATask / width);
  const std::size_t n_rows = args.positions.size();
  pool.run((n_rows + rows_a_task - 1) / rows_a_task, [&](std::size_t task, std::size_t) {
    std::vector<float> pairs(args.adjacent_pairs ? args.d_rotary : 0);
    for (std::size_t row = task * rows_a_task; row < std::min(n_rows, (task + 1) * rows_a_task); ++row) {
      for (std::size_t head = 0; head < args.n_heads; ++head) {
        rotate_head(args, static_cast<std::size_t>(args.positions[row]), pairs.data(),
                    args.x + row * args.x_stride + head * args.d_head);
      }
    }
  });
}

}  // namespace attnviz
