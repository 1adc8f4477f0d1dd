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

// Stored element types. Weights are f32, f16, bf16, or blocks: some numbers of a row packed together with their scales, as GGUF
// stores them. The others appear in files and are skipped or refused by name.
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
  kQ4_0,  // blocks from here on: 32 elements each, 256 for those named _K or _XS
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kIQ4_XS,
};

std::string_view dtype_name(DType dtype);                     // "F32", "BF16", ... as safetensors spells them; "Q4_K" as GGUF does
std::optional<DType> dtype_from_name(std::string_view name);  // none if safetensors has no such type
std::size_t dtype_bits(DType dtype);                          // bits of one element; 0 for blocks
std::size_t dtype_size(DType dtype);                          // bytes of one element; 0 for blocks and types narrower than a byte
std::size_t dtype_block_size(DType dtype);                    // elements per block: 1, 32 or 256
std::size_t dtype_block_bytes(DType dtype);                   // bytes of a block; dtype_size if a block is one element
bool is_block_dtype(DType dtype);                             // Q4_0 and all after it
bool is_weight_dtype(DType dtype);                            // f32, f16, bf16 and blocks

using Shape = std::vector<std::size_t>;  // outermost dimension first; {} is a scalar

std::string shape_text(std::span<const std::size_t> shape);  // "[384, 1536]"

// Number of elements; throws Error(kModel) when the product does not fit size_t.
std::size_t element_count(std::span<const std::size_t> shape);

struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  const std::byte* data = nullptr;  // n_bytes() bytes; need not be aligned to the element
  // If not 0: rows are interleaved within each group of this many (a head), as llama.cpp stores rotary queries and keys. Of a group
  // of d rows, row r < d/2 is stored row 2r, and row d/2 + r is stored row 2r + 1. See stored_row.
  std::size_t interleaved_group = 0;

  // Length of one row: the product of every dimension but the first (1 for a vector of one-element rows).
  std::size_t row_size() const;
  std::size_t n_rows() const { return shape.empty() ? 1 : shape[0]; }
  std::size_t row_bytes() const;  // of a matrix, whose rows hold whole blocks; meaningless for types narrower than a byte
  std::size_t n_bytes() const;

  // Where row `row` of the tensor is among the rows that `data` holds.
  std::size_t stored_row(std::size_t row) const {
    if (interleaved_group == 0) return row;
    const std::size_t half = interleaved_group / 2;
    const std::size_t place = row % interleaved_group;
    return row - place + (place < half ? 2 * place : 2 * (place - half) + 1);
  }
};

}  // namespace attnviz
