// Checked arithmetic: results at the edge of size_t.
#include "base/checked.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Checked, AddsAndMultipliesUpToTheLastValue) {
  EXPECT_EQ(checked_add(SIZE_MAX - 1, 1, "f"), SIZE_MAX);
  EXPECT_EQ(checked_multiply(SIZE_MAX / 5, 5, "f"), SIZE_MAX / 5 * 5);
}

TEST(Checked, RefusesOverflow) {
  EXPECT_THROW(checked_add(SIZE_MAX, 1, "f"), Error);
  EXPECT_THROW(checked_multiply(SIZE_MAX / 2, 3, "f"), Error);
  EXPECT_FALSE(try_multiply(SIZE_MAX, SIZE_MAX).has_value());
}

}  // namespace
}  // namespace attnviz
