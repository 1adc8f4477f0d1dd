// See unpack.h. Stored bytes need not be aligned to their element: everything goes through memcpy, which compilers turn into plain
// loads.
#include "tensor/unpack.h"

#include <attnviz/error.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace attnviz {
namespace {

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float f16_to_f32(std::uint16_t bits) {
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
float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <typename Convert>
void unpack_16_bit(const std::byte* source, std::size_t n, Convert convert, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, source + 2 * i, sizeof(bits));
    out[i] = convert(bits);
  }
}

void unpack(DType dtype, const std::byte* source, std::size_t n, float* out) {
  if (n == 0) return;  // an empty tensor may have no bytes to point to
  switch (dtype) {
    case DType::kF32: std::memcpy(out, source, n * sizeof(float)); return;
    case DType::kF16: unpack_16_bit(source, n, f16_to_f32, out); return;
    case DType::kBF16: unpack_16_bit(source, n, bf16_to_f32, out); return;
    default:
      throw Error(ErrorKind::kModel,
                  fmt::format("tensor: numbers of type {} cannot be weights; expected F32, F16 or BF16; save the "
                              "model in one of these",
                              dtype_name(dtype)));
  }
}

}  // namespace

void unpack_row(const TensorView& view, std::size_t row, std::size_t begin, std::size_t n, float* out) {
  const std::size_t row_size = view.row_size();
  if (row >= view.n_rows() || begin > row_size || n > row_size - begin) {
    throw Error(ErrorKind::kBug, fmt::format("tensor: elements [{}, {} + {}) of row {} asked of shape {}", begin, begin, n, row,
                                             shape_text(view.shape)));
  }
  unpack(view.dtype, view.data + (row * row_size + begin) * dtype_size(view.dtype), n, out);
}

std::vector<float> unpack_all(const TensorView& view) {
  std::vector<float> values(element_count(view.shape));
  unpack(view.dtype, view.data, values.size(), values.data());
  return values;
}

}  // namespace attnviz
