// add over lengths around the size of a task.
#include "ops/add.h"

#include <gtest/gtest.h>

#include "naive_ops.h"

namespace attnviz {
namespace {

TEST(Add, AddsEveryValueOnce) {
  ThreadPool pool(2);
  for (const std::size_t n : {0, 1, 7, 16383, 16384, 16385, 50000}) {
    const std::vector<float> x = naive::random_values(n, 1);
    std::vector<float> y = naive::random_values(n + 1, 2);
    const std::vector<float> before = y;
    add(pool, x.data(), n, y.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], before[i] + x[i]);
    EXPECT_EQ(y[n], before[n]);
  }
}

}  // namespace
}  // namespace attnviz
