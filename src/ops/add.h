// y += x over n values. Tested in tests/unit/ops/add_test.cpp.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace attnviz {

void add(ThreadPool& pool, const float* x, std::size_t n, float* y);

}  // namespace attnviz
