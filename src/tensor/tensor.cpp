// See include/attnviz/tensor.h and weights.h.
#include <attnviz/tensor.h>
#include <attnviz/weights.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"

namespace attnviz {

namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bits;             // of an element; 0: the type is blocks
  std::size_t block_size = 1;   // elements
  std::size_t block_bytes = 0;  // of a block of more than one element
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
    {DType::kQ4_0, "Q4_0", 0, 32, 2 + 16},
    {DType::kQ4_1, "Q4_1", 0, 32, 4 + 16},
    {DType::kQ5_0, "Q5_0", 0, 32, 2 + 4 + 16},
    {DType::kQ5_1, "Q5_1", 0, 32, 4 + 4 + 16},
    {DType::kQ8_0, "Q8_0", 0, 32, 2 + 32},
    {DType::kQ2_K, "Q2_K", 0, 256, 16 + 64 + 4},
    {DType::kQ3_K, "Q3_K", 0, 256, 32 + 64 + 12 + 2},
    {DType::kQ4_K, "Q4_K", 0, 256, 4 + 12 + 128},
    {DType::kQ5_K, "Q5_K", 0, 256, 4 + 12 + 32 + 128},
    {DType::kQ6_K, "Q6_K", 0, 256, 128 + 64 + 16 + 2},
    {DType::kIQ4_NL, "IQ4_NL", 0, 32, 2 + 16},
    {DType::kIQ4_XS, "IQ4_XS", 0, 256, 4 + 4 + 128},
};

// A row is found by its number: this runs for every row of a tensor.
constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kDTypes); ++i) {
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  }
  return static_cast<std::size_t>(DType::kIQ4_XS) + 1 == std::size(kDTypes);
}
static_assert(in_order(), "the table has a row for each DType, in their order");

const DTypeFacts& facts(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::string_view dtype_name(DType dtype) { return facts(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeFacts& row : kDTypes) {
    if (row.name == name && row.bits != 0) return row.dtype;
  }
  return std::nullopt;
}

std::size_t dtype_bits(DType dtype) { return facts(dtype).bits; }

std::size_t dtype_size(DType dtype) { return facts(dtype).bits / 8; }

std::size_t dtype_block_size(DType dtype) { return facts(dtype).block_size; }

std::size_t dtype_block_bytes(DType dtype) { return is_block_dtype(dtype) ? facts(dtype).block_bytes : dtype_size(dtype); }

bool is_block_dtype(DType dtype) { return dtype >= DType::kQ4_0; }

bool is_weight_dtype(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || is_block_dtype(dtype);
}

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

std::size_t TensorView::row_bytes() const { return row_size() / dtype_block_size(dtype) * dtype_block_bytes(dtype); }

std::size_t TensorView::n_bytes() const { return element_count(shape) / dtype_block_size(dtype) * dtype_block_bytes(dtype); }

// By their places, so that each is moved once; a file often lists them in order.
void sort_by_name(std::vector<StoredTensor>* tensors) {
  const auto before = [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; };
  if (std::is_sorted(tensors->begin(), tensors->end(), before)) return;
  std::vector<StoredTensor*> order;
  order.reserve(tensors->size());
  for (StoredTensor& tensor : *tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [&](const StoredTensor* a, const StoredTensor* b) { return before(*a, *b); });
  std::vector<StoredTensor> sorted;
  sorted.reserve(order.size());
  for (StoredTensor* tensor : order) sorted.push_back(std::move(*tensor));
  *tensors = std::move(sorted);
}

const StoredTensor* WeightSource::find(std::string_view name) const {
  const auto all = tensors();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name, [](const StoredTensor& t, std::string_view n) { return t.name < n; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace attnviz
