// IEEE 754 binary16 and bfloat16 to f32; every value is exact. Tested in tests/unit/tensor/unpack_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

namespace attnviz {

// 1 sign, 5 exponent (bias 15), 10 fraction bits. Static, so that each instruction set has its own copy.
static inline float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24, exact in f32
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23 | fraction << 13);
}

// bfloat16 is the upper half of a float.
static inline float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace attnviz
