// embed_rows: rows copied or added, from a table that may be at an odd address.
#include "ops/embedding.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Embedding, CopiesAndAddsRows) {
  const std::vector<float> table{0, 1, 2, 10, 11, 12, 20, 21, 22};
  std::vector<std::byte> bytes(1 + table.size() * sizeof(float));
  std::memcpy(bytes.data() + 1, table.data(), table.size() * sizeof(float));
  const TensorView view{DType::kF32, {3, 3}, bytes.data() + 1};
  const std::vector<std::int32_t> rows{2, 0, 2};
  std::vector<float> y(9, 5.0F);
  embed_rows(view, rows, false, y.data());
  EXPECT_EQ(y, (std::vector<float>{20, 21, 22, 0, 1, 2, 20, 21, 22}));
  embed_rows(view, std::vector<std::int32_t>{1, 1, 0}, true, y.data());
  EXPECT_EQ(y, (std::vector<float>{30, 32, 34, 10, 12, 14, 20, 22, 24}));
}

TEST(Embedding, ReadsBf16) {
  const std::vector<std::uint16_t> table{0x3F80, 0x4000, 0xC040, 0x0000};  // 1 2 -3 0
  const TensorView view{DType::kBF16, {2, 2}, reinterpret_cast<const std::byte*>(table.data())};
  std::vector<float> y(2);
  embed_rows(view, std::vector<std::int32_t>{1}, false, y.data());
  EXPECT_EQ(y, (std::vector<float>{-3, 0}));
}

}  // namespace
}  // namespace attnviz
