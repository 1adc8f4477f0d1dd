// See add.h. Bound by memory, so plain loops do.
#include "ops/add.h"

#include <algorithm>

namespace attnviz {

void add(ThreadPool& pool, const float* x, std::size_t n, float* y) {
  constexpr std::size_t kValuesATask = 16384;
  pool.run((n + kValuesATask - 1) / kValuesATask, [&](std::size_t task, std::size_t) {
    const std::size_t end = std::min(n, (task + 1) * kValuesATask);
    for (std::size_t i = task * kValuesATask; i < end; ++i) y[i] += x[i];
  });
}

}  // namespace attnviz
