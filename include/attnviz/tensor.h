// Element types, shapes and read-only views of tensors as they are stored.
//
// Every tensor is row-major and contiguous. A view does not own its bytes: the WeightSource or buffer behind it must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Stored element types. Only f32, f16 and bf16 can be weights; the others appear in files and are skipped or refused by name.
enum class DType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kF64,
  kI64,
  kI32,
  kI16,
  kI8,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
  kC64,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF6E2M3,
  kF6E3M2,
  kF4,
};

std::string_view dtype_name(DType dtype);                     // "F32", "BF16", ... as safetensors spells them
std::optional<DType> dtype_from_name(std::string_view name);  // nothing where no type is spelled so
std::size_t dtype_bits(DType dtype);                          // bits of one element
std::size_t dtype_size(DType dtype);                          // bytes of one element; 0 for the types narrower than a byte
bool is_weight_dtype(DType dtype);                            // f32, f16, bf16

using Shape = std::vector<std::size_t>;  // outermost dimension first; {} is a scalar

std::string shape_text(std::span<const std::size_t> shape);  // "[384, 1536]"

// Number of elements; throws Error(kModel) when the product does not fit size_t.
std::size_t element_count(std::span<const std::size_t> shape);

struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  const std::byte* data = nullptr;  // element_count(shape) * dtype_bits(dtype) / 8 bytes; need not be aligned to the element

  // Length of one row: the product of every dimension but the first (1 for a vector of one-element rows).
  std::size_t row_size() const;
  std::size_t n_rows() const { return shape.empty() ? 1 : shape[0]; }
};

}  // namespace attnviz
