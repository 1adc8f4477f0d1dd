// Blocks of packed numbers to f32, 32 elements at a time: GGUF's Q4_0 ... Q6_K, IQ4_NL and IQ4_XS.
//
// Follows the layouts of ggml-quants.h and, operation by operation in f32, the order of the `gguf` package's
// gguf.quants.dequantize, so that every bit agrees (compiled with -ffp-contract=off, see CMakeLists.txt). Plain loops that
// compilers turn into vectors: the file is included once for each instruction set, in the namespace ATTNVIZ_BLOCKS_NAMESPACE names.
// It has no include guard for that reason. Tested in tests/unit/tensor/blocks_test.cpp and tests/unit/ops/linear_test.cpp.
#include <attnviz/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/half.h"

namespace attnviz {
namespace ATTNVIZ_BLOCKS_NAMESPACE {

using Byte = std::uint8_t;

constexpr std::size_t kUnit = 32;  // elements that one call unpacks; every block is one unit or eight

inline float read_f16(const Byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return f16_to_f32(bits);
}

inline std::uint32_t read_u32(const Byte* from) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

// 16 bytes hold 32 nibbles: the low ones first, then the high ones.
inline void split_nibbles(const Byte* from, int* to) {
  for (std::size_t i = 0; i < kUnit / 2; ++i) to[i] = from[i] & 0xF;
  for (std::size_t i = 0; i < kUnit / 2; ++i) to[i + kUnit / 2] = from[i] >> 4;
}

// Bit i of `high` becomes bit 4 of element i.
inline void add_fifth_bits(std::uint32_t high, int* to) {
  for (std::uint32_t i = 0; i < kUnit; ++i) to[i] |= static_cast<int>((high >> i & 1U) << 4U);
}

inline void scale_unit(const int* q, int offset, float d, float* out) {
  for (std::size_t i = 0; i < kUnit; ++i) out[i] = d * static_cast<float>(q[i] - offset);
}

// d: f16 | 16 bytes of nibbles; d * (q - 8)
inline void unit_q4_0(const Byte* block, std::size_t, float* out) {
  int q[kUnit];
  split_nibbles(block + 2, q);
  scale_unit(q, 8, read_f16(block), out);
}

// d, m: f16 | nibbles; d * q + m
inline void unit_q4_1(const Byte* block, std::size_t, float* out) {
  int q[kUnit];
  split_nibbles(block + 4, q);
  const float d = read_f16(block);
  const float m = read_f16(block + 2);
  for (std::size_t i = 0; i < kUnit; ++i) out[i] = d * static_cast<float>(q[i]) + m;
}

// d: f16 | 32 fifth bits | nibbles; d * (q - 16)
inline void unit_q5_0(const Byte* block, std::size_t, float* out) {
  int q[kUnit];
  split_nibbles(block + 6, q);
  add_fifth_bits(read_u32(block + 2), q);
  scale_unit(q, 16, read_f16(block), out);
}

// d, m: f16 | 32 fifth bits | nibbles; d * q + m
inline void unit_q5_1(const Byte* block, std::size_t, float* out) {
  int q[kUnit];
  split_nibbles(block + 8, q);
  add_fifth_bits(read_u32(block + 4), q);
  const float d = read_f16(block);
  const float m = read_f16(block + 2);
  for (std::size_t i = 0; i < kUnit; ++i) out[i] = d * static_cast<float>(q[i]) + m;
}

// d: f16 | 32 signed bytes; d * q
inline void unit_q8_0(const Byte* block, std::size_t, float* out) {
  const float d = read_f16(block);
  for (std::size_t i = 0; i < kUnit; ++i) out[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * d;
}

// 16 bytes, a scale and a minimum of 4 bits each for 16 elements | 64 bytes of 2 bits | d, dmin: f16; (d s) q - (dmin m)
inline void unit_q2_k(const Byte* block, std::size_t unit, float* out) {
  const float d = read_f16(block + 80);
  const float d_min = read_f16(block + 82);
  const Byte* q = block + 16 + unit / 4 * kUnit;
  const auto shift = unit % 4 * 2;
  for (std::size_t half = 0; half < 2; ++half) {
    const Byte scales = block[2 * unit + half];
    const float scale = d * static_cast<float>(scales & 0xF);
    const float minimum = d_min * static_cast<float>(scales >> 4);
    for (std::size_t i = 16 * half; i < 16 * half + 16; ++i) out[i] = scale * static_cast<float>(q[i] >> shift & 3) - minimum;
  }
}

// 32 bytes of third bits | 64 bytes of 2 bits | 16 scales of 6 bits | d: f16; (d (s - 32)) (q - 4 where the third bit is 0)
inline void unit_q3_k(const Byte* block, std::size_t unit, float* out) {
  const float d = read_f16(block + 108);
  const Byte* q = block + 32 + unit / 4 * kUnit;
  const auto shift = unit % 4 * 2;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t j = 2 * unit + half;
    const int low = block[96 + j % 8] >> (j < 8 ? 0 : 4) & 0xF;
    const int high = block[104 + j % 4] >> 2 * (j / 4) & 3;
    const float scale = d * static_cast<float>((low | high << 4) - 32);
    for (std::size_t i = 16 * half; i < 16 * half + 16; ++i) {
      out[i] = scale * static_cast<float>((q[i] >> shift & 3) - ((block[i] >> unit & 1) != 0 ? 0 : 4));
    }
  }
}

// Eight scales and eight minima of 6 bits in 12 bytes (Q4_K, Q5_K).
struct ScaleAndMin {
  int scale;
  int minimum;
};

inline ScaleAndMin scale_and_min(const Byte* packed, std::size_t unit) {
  if (unit < 4) return {packed[unit] & 0x3F, packed[unit + 4] & 0x3F};
  const Byte rest = packed[unit + 4];
  return {(rest & 0xF) | (packed[unit - 4] >> 2 & 0x30), rest >> 4 | (packed[unit] >> 2 & 0x30)};
}

// d, dmin: f16 | scales and minima | 128 bytes of nibbles; (d s) q - (dmin m)
inline void unit_q4_k(const Byte* block, std::size_t unit, float* out) {
  const ScaleAndMin packed = scale_and_min(block + 4, unit);
  const float scale = read_f16(block) * static_cast<float>(packed.scale);
  const float minimum = read_f16(block + 2) * static_cast<float>(packed.minimum);
  const Byte* q = block + 16 + unit / 2 * kUnit;
  const auto shift = unit % 2 * 4;
  for (std::size_t i = 0; i < kUnit; ++i) out[i] = scale * static_cast<float>(q[i] >> shift & 0xF) - minimum;
}

// As Q4_K, with 32 bytes of fifth bits before the nibbles.
inline void unit_q5_k(const Byte* block, std::size_t unit, float* out) {
  const ScaleAndMin packed = scale_and_min(block + 4, unit);
  const float scale = read_f16(block) * static_cast<float>(packed.scale);
  const float minimum = read_f16(block + 2) * static_cast<float>(packed.minimum);
  const Byte* high = block + 16;
  const Byte* q = block + 48 + unit / 2 * kUnit;
  const auto shift = unit % 2 * 4;
  for (std::size_t i = 0; i < kUnit; ++i) {
    out[i] = scale * static_cast<float>((q[i] >> shift & 0xF) | (high[i] >> unit & 1) << 4) - minimum;
  }
}

// 128 bytes of nibbles | 64 bytes of 2 upper bits | 16 signed scales | d: f16; (d s) (q - 32)
inline void unit_q6_k(const Byte* block, std::size_t unit, float* out) {
  const float d = read_f16(block + 208);
  const std::size_t quarter = unit % 4;
  const Byte* low = block + unit / 4 * 64 + quarter % 2 * kUnit;
  const Byte* high = block + 128 + unit / 4 * kUnit;
  const auto low_shift = quarter / 2 * 4;
  const auto high_shift = quarter * 2;
  for (std::size_t half = 0; half < 2; ++half) {
    const float scale = d * static_cast<float>(static_cast<std::int8_t>(block[192 + 2 * unit + half]));
    for (std::size_t i = 16 * half; i < 16 * half + 16; ++i) {
      out[i] = scale * static_cast<float>(((low[i] >> low_shift & 0xF) | (high[i] >> high_shift & 3) << 4) - 32);
    }
  }
}

// The values that the nibbles of IQ4_NL and IQ4_XS stand for.
constexpr float kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

inline void look_up_iq4(const Byte* q, float scale, float* out) {
  for (std::size_t i = 0; i < kUnit / 2; ++i) {
    out[i] = scale * kIq4Values[q[i] & 0xF];
    out[i + kUnit / 2] = scale * kIq4Values[q[i] >> 4];
  }
}

// d: f16 | nibbles; d * value(q)
inline void unit_iq4_nl(const Byte* block, std::size_t, float* out) { look_up_iq4(block + 2, read_f16(block), out); }

// d: f16 | eight pairs of upper scale bits | eight lower nibbles of scales | 128 bytes of nibbles; (d (s - 32)) value(q)
inline void unit_iq4_xs(const Byte* block, std::size_t unit, float* out) {
  const int low = block[4 + unit / 2] >> unit % 2 * 4 & 0xF;
  const int high = (block[2] | block[3] << 8) >> 2 * unit & 3;
  look_up_iq4(block + 8 + unit * 16, read_f16(block) * static_cast<float>((low | high << 4) - 32), out);
}

// Elements [begin, begin + n) of a row of blocks. A unit that is wanted in part is unpacked aside.
template <void (*unpack_unit)(const Byte*, std::size_t, float*), std::size_t kUnitsABlock, std::size_t kBlockBytes>
void unpack_units(const Byte* row, std::size_t begin, std::size_t n, float* out) {
  std::size_t done = 0;
  while (done < n) {
    const std::size_t unit = (begin + done) / kUnit;
    const std::size_t skip = (begin + done) % kUnit;
    const Byte* block = row + unit / kUnitsABlock * kBlockBytes;
    if (skip == 0 && n - done >= kUnit) {
      unpack_unit(block, unit % kUnitsABlock, out + done);
      done += kUnit;
      continue;
    }
    float aside[kUnit];
    unpack_unit(block, unit % kUnitsABlock, aside);
    const std::size_t wanted = kUnit - skip < n - done ? kUnit - skip : n - done;
    std::memcpy(out + done, aside + skip, wanted * sizeof(float));
    done += wanted;
  }
}

// False where `dtype` is not made of blocks.
inline bool unpack_blocks(DType dtype, const std::byte* stored_row, std::size_t begin, std::size_t n, float* out) {
  const auto* row = reinterpret_cast<const Byte*>(stored_row);
  switch (dtype) {
    case DType::kQ4_0: unpack_units<unit_q4_0, 1, 18>(row, begin, n, out); return true;
    case DType::kQ4_1: unpack_units<unit_q4_1, 1, 20>(row, begin, n, out); return true;
    case DType::kQ5_0: unpack_units<unit_q5_0, 1, 22>(row, begin, n, out); return true;
    case DType::kQ5_1: unpack_units<unit_q5_1, 1, 24>(row, begin, n, out); return true;
    case DType::kQ8_0: unpack_units<unit_q8_0, 1, 34>(row, begin, n, out); return true;
    case DType::kQ2_K: unpack_units<unit_q2_k, 8, 84>(row, begin, n, out); return true;
    case DType::kQ3_K: unpack_units<unit_q3_k, 8, 110>(row, begin, n, out); return true;
    case DType::kQ4_K: unpack_units<unit_q4_k, 8, 144>(row, begin, n, out); return true;
    case DType::kQ5_K: unpack_units<unit_q5_k, 8, 176>(row, begin, n, out); return true;
    case DType::kQ6_K: unpack_units<unit_q6_k, 8, 210>(row, begin, n, out); return true;
    case DType::kIQ4_NL: unpack_units<unit_iq4_nl, 1, 18>(row, begin, n, out); return true;
    case DType::kIQ4_XS: unpack_units<unit_iq4_xs, 8, 136>(row, begin, n, out); return true;
    default: return false;
  }
}

}  // namespace ATTNVIZ_BLOCKS_NAMESPACE
}  // namespace attnviz
