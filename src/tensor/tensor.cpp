// See include/attnviz/tensor.h and weights.h.
#include <attnviz/tensor.h>
#include <attnviz/weights.h>

#include "base/checked.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnviz {

namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bits;
};

constexpr DTypeFacts kDTypes[] = {
    {DType::kF32, "F32", 32},
    {DType::kF16, "F16", 16},
    {DType::kBF16, "BF16", 16},
    {DType::kF64, "F64", 64},
    {DType::kI64, "I64", 64},
    {DType::kI32, "I32", 32},
    {DType::kI16, "I16", 16},
    {DType::kI8, "I8", 8},
    {DType::kU8, "U8", 8},
    {DType::kU16, "U16", 16},
    {DType::kU32, "U32", 32},
    {DType::kU64, "U64", 64},
    {DType::kBool, "BOOL", 8},
    {DType::kC64, "C64", 64},
    {DType::kF8E5M2, "F8_E5M2", 8},
    {DType::kF8E4M3, "F8_E4M3", 8},
    {DType::kF8E8M0, "F8_E8M0", 8},
    {DType::kF8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    {DType::kF8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    {DType::kF6E2M3, "F6_E2M3", 6},
    {DType::kF6E3M2, "F6_E3M2", 6},
    {DType::kF4, "F4", 4},
};

const DTypeFacts& facts(DType dtype) {
  for (const DTypeFacts& row : kDTypes) {
    if (row.dtype == dtype) return row;
  }
  throw Error(ErrorKind::kBug, "tensor: an element type without a row in the table");
}

}  // namespace

std::string_view dtype_name(DType dtype) { return facts(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeFacts& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::size_t dtype_bits(DType dtype) { return facts(dtype).bits; }

std::size_t dtype_size(DType dtype) { return facts(dtype).bits / 8; }

bool is_weight_dtype(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16; }

std::string shape_text(std::span<const std::size_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::size_t element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    const auto product = try_multiply(count, extent);
    if (!product) {  // the text is made only here: this runs for every row of a tensor
      throw Error(ErrorKind::kModel,
                  "tensor shape " + shape_text(shape) + ": the number of elements does not fit 64 bits; the file is corrupt");
    }
    count = *product;
  }
  return count;
}

std::size_t TensorView::row_size() const { return shape.empty() ? 1 : element_count(std::span(shape).subspan(1)); }

const StoredTensor* WeightSource::find(std::string_view name) const {
  const auto all = tensors();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name, [](const StoredTensor& t, std::string_view n) { return t.name < n; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace attnviz
