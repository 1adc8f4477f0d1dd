// The peak follows what is touched.
#include "base/memory_peak.h"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(MemoryPeak, SeesMemoryThatIsTouched) {
  reset_memory_peak();
  const double before = memory_peak_mb();
  ASSERT_GT(before, 0);
  constexpr std::size_t kSize = 64 << 20;
  const std::unique_ptr<char[]> memory(new char[kSize]);
  std::memset(memory.get(), 1, kSize);
  EXPECT_EQ(memory[kSize / 2], 1);
  EXPECT_GT(memory_peak_mb(), before + 40);
}

}  // namespace
}  // namespace attnviz
