// See include/attnviz/tensor.h and weights.h.
#include <attnviz/tensor.h>
#include <attnviz/weights.h>

#include "base/checked.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnviz {

std::string_view dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kF32: return "F32";
    case DType::kF16: return "F16";
    case DType::kBF16: return "BF16";
    case DType::kF64: return "F64";
    case DType::kI64: return "I64";
    case DType::kI32: return "I32";
    case DType::kI16: return "I16";
    case DType::kI8: return "I8";
    case DType::kU8: return "U8";
    case DType::kU16: return "U16";
    case DType::kU32: return "U32";
    case DType::kU64: return "U64";
    case DType::kBool: return "BOOL";
  }
  return "?";
}

std::size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kU64: return 8;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32: return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16: return 2;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool: return 1;
  }
  return 0;
}

bool is_weight_dtype(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16; }

std::string shape_text(std::span<const std::size_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::size_t element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count = checked_multiply(count, extent, "tensor shape " + shape_text(shape));
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
