// See unpack.h. Stored bytes need not be aligned to their element: everything goes through memcpy, which compilers turn into plain
// loads.
#include "tensor/unpack.h"

#include <attnviz/error.h>

#include "tensor/half.h"

#define ATTNVIZ_BLOCKS_NAMESPACE plain_blocks
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "tensor/blocks-inl.h"

namespace attnviz {
namespace {

template <typename Convert>
void unpack_16_bit(const std::byte* source, std::size_t n, Convert convert, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, source + 2 * i, sizeof(bits));
    out[i] = convert(bits);
  }
}

// Elements [begin, begin + n) of one stored row.
void unpack(DType dtype, const std::byte* row, std::size_t begin, std::size_t n, float* out) {
  if (n == 0) return;  // an empty tensor may have no bytes to point to
  switch (dtype) {
    case DType::kF32: std::memcpy(out, row + begin * sizeof(float), n * sizeof(float)); return;
    case DType::kF16: unpack_16_bit(row + 2 * begin, n, f16_to_f32, out); return;
    case DType::kBF16: unpack_16_bit(row + 2 * begin, n, bf16_to_f32, out); return;
    default:
      if (plain_blocks::unpack_blocks(dtype, row, begin, n, out)) return;
      throw Error(ErrorKind::kModel,
                  fmt::format("tensor: numbers of type {} cannot be weights; expected F32, F16, BF16 or a block type of GGUF; save "
                              "the model in one of these",
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
  const std::size_t stored = view.stored_row(row);
  if (row_size == 1) {  // elements of a vector: blocks run along it
    unpack(view.dtype, view.data, stored + begin, n, out);
    return;
  }
  unpack(view.dtype, view.data + stored * view.row_bytes(), begin, n, out);
}

std::vector<float> unpack_all(const TensorView& view) {
  std::vector<float> values(element_count(view.shape));
  if (view.interleaved_group == 0) {  // whole rows end to end are one long row, of whole blocks
    unpack(view.dtype, view.data, 0, values.size(), values.data());
    return values;
  }
  const std::size_t row_size = view.row_size();
  for (std::size_t row = 0; row < view.n_rows(); ++row) unpack_row(view, row, 0, row_size, values.data() + row * row_size);
  return values;
}

}  // namespace attnviz
