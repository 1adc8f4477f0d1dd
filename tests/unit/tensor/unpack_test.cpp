// Stored numbers to f32: all 65,536 values of f16 and bf16, and pieces of rows at odd addresses.
#include "tensor/unpack.h"

#include <attnviz/error.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

// All 16-bit patterns in order, one byte off any alignment.
std::vector<std::byte> all_halves() {
  std::vector<std::byte> bytes(1 + 65536 * 2);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::memcpy(bytes.data() + 1 + 2 * bits, &half, sizeof(half));
  }
  return bytes;
}

// The value of a binary16, computed from its definition.
double half_value(std::uint32_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Unpack, EveryF16) {
  const auto bytes = all_halves();
  const auto values = unpack_all({DType::kF16, {65536}, bytes.data() + 1});
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = half_value(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[bits])) << bits;
    } else {
      ASSERT_EQ(values[bits], expected) << bits;
      ASSERT_EQ(std::signbit(values[bits]), std::signbit(expected)) << bits;  // -0 too
    }
  }
}

TEST(Unpack, EveryBf16IsTheUpperHalfOfAFloat) {
  const auto bytes = all_halves();
  const auto values = unpack_all({DType::kBF16, {256, 256}, bytes.data() + 1});
  for (std::uint32_t bits = 0; bits < 65536; ++bits) ASSERT_EQ(std::bit_cast<std::uint32_t>(values[bits]), bits << 16);
}

TEST(Unpack, PiecesOfRows) {
  std::vector<std::byte> bytes(1 + 24 * 4);
  for (int i = 0; i < 24; ++i) {
    const float value = static_cast<float>(i);
    std::memcpy(bytes.data() + 1 + 4 * i, &value, sizeof(value));
  }
  const TensorView view{DType::kF32, {2, 3, 4}, bytes.data() + 1};
  float out[3] = {};
  unpack_row(view, 1, 5, 3, out);
  EXPECT_THAT(out, testing::ElementsAre(17, 18, 19));
  unpack_row({DType::kF32, {24}, bytes.data() + 1}, 23, 0, 1, out);
  EXPECT_EQ(out[0], 23);
  unpack_row(view, 1, 12, 0, out);  // an empty piece at the end
}

TEST(Unpack, EmptyTensorsNeedNoBytes) { EXPECT_TRUE(unpack_all({DType::kF16, {0, 5}, nullptr}).empty()); }

TEST(Unpack, RefusesPiecesOutside) {
  const std::byte bytes[16] = {};
  const TensorView view{DType::kF32, {2, 2}, bytes};
  float out[4];
  EXPECT_THROW(unpack_row(view, 2, 0, 1, out), Error);
  EXPECT_THROW(unpack_row(view, 0, 1, 2, out), Error);
  EXPECT_THROW(unpack_row(view, 0, 3, SIZE_MAX, out), Error);
}

TEST(Unpack, RefusesOtherTypesByName) {
  const std::byte bytes[16] = {};
  try {
    unpack_all({DType::kF8E4M3, {2}, bytes});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("F8_E4M3 cannot be weights; expected F32, F16, BF16 or a block type"));
  }
}

}  // namespace
}  // namespace attnviz
