// Stored blocks: bit for bit what the reference makes of them (tests/reference/gguf_goldens.py), whole and in pieces.
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tensor/unpack.h"

namespace attnviz {
namespace {

constexpr std::size_t kRows = 2;
constexpr std::size_t kRowSize = 512;

std::string read_data(const std::string& name) {
  std::ifstream in(std::string(ATTNVIZ_TEST_DIR) + "/unit/tensor/data/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Golden {
  std::string blocks;
  std::vector<std::uint32_t> bits;  // [kRows * kRowSize] of f32
  TensorView view;
};

Golden read_golden(DType dtype) {
  Golden golden;
  const std::string name(dtype_name(dtype));
  golden.blocks = read_data(name + ".blocks");
  const std::string values = read_data(name + ".values");
  golden.bits.resize(kRows * kRowSize);
  EXPECT_EQ(values.size(), golden.bits.size() * 4) << name;
  std::memcpy(golden.bits.data(), values.data(), std::min(values.size(), golden.bits.size() * 4));
  golden.view = {dtype, {kRows, kRowSize}, nullptr};
  return golden;
}

class Blocks : public testing::TestWithParam<DType> {};

TEST_P(Blocks, EveryBitIsTheReferences) {
  Golden golden = read_golden(GetParam());
  golden.view.data = reinterpret_cast<const std::byte*>(golden.blocks.data());
  ASSERT_EQ(golden.view.n_bytes(), golden.blocks.size());
  const std::vector<float> values = unpack_all(golden.view);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), golden.bits[i]) << i;
}

TEST_P(Blocks, PiecesBeginAndEndAnywhere) {
  Golden golden = read_golden(GetParam());
  golden.blocks.insert(0, 1, '\0');  // one byte off any alignment
  golden.view.data = reinterpret_cast<const std::byte*>(golden.blocks.data()) + 1;
  for (const std::size_t begin : {0U, 1U, 31U, 32U, 100U, 255U, 256U, 300U, 511U}) {
    for (const std::size_t n : {0U, 1U, 5U, 32U, 33U, 192U, 212U}) {
      if (begin + n > kRowSize) continue;
      std::vector<float> values(n + 1, 7.0F);
      unpack_row(golden.view, 1, begin, n, values.data());
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), golden.bits[kRowSize + begin + i]) << begin << " + " << i;
      }
      ASSERT_EQ(values[n], 7.0F) << "written past the end";
    }
  }
}

TEST_P(Blocks, AVectorIsOneRow) {
  Golden golden = read_golden(GetParam());
  golden.view.data = reinterpret_cast<const std::byte*>(golden.blocks.data());
  golden.view.shape = {kRows * kRowSize};
  EXPECT_EQ(golden.view.n_bytes(), golden.blocks.size());
  float value = 0;
  unpack_row(golden.view, 700, 0, 1, &value);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(value), golden.bits[700]);
}

INSTANTIATE_TEST_SUITE_P(Types, Blocks,
                         testing::Values(DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kQ8_0, DType::kQ2_K,
                                         DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K, DType::kIQ4_NL, DType::kIQ4_XS),
                         [](const auto& test) { return std::string(dtype_name(test.param)); });

TEST(Blocks, AreNotTypesOfSafetensors) {
  EXPECT_FALSE(dtype_from_name("Q4_0"));
  EXPECT_EQ(dtype_size(DType::kQ4_0), 0U);
  EXPECT_EQ(dtype_block_size(DType::kF16), 1U);
  EXPECT_EQ(dtype_block_bytes(DType::kF16), 2U);
  EXPECT_TRUE(is_weight_dtype(DType::kIQ4_XS));
}

// llama.cpp stores the rows of a rotary head as 0, d/2, 1, d/2 + 1, ...: reading puts them back.
TEST(Blocks, InterleavedRowsArePutBack) {
  const float stored[] = {0, 3, 1, 4, 2, 5, 10, 13, 11, 14, 12, 15};
  TensorView view{DType::kF32, {12, 1}, reinterpret_cast<const std::byte*>(stored)};
  view.interleaved_group = 6;
  EXPECT_EQ(unpack_all(view), (std::vector<float>{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}));
  view.shape = {12};
  EXPECT_EQ(unpack_all(view), (std::vector<float>{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}));
}

}  // namespace
}  // namespace attnviz
