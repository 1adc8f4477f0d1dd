// See embedding.h. A few rows of a large table: decoding them is nothing beside the layers that follow.
#include "ops/embedding.h"

#include <vector>

#include "tensor/unpack.h"

namespace attnviz {

void embed_rows(const TensorView& table, std::span<const std::int32_t> rows, bool add, float* y) {
  const std::size_t d_embedding = table.row_size();
  std::vector<float> unpacked(add ? d_embedding : 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float* out = y + i * d_embedding;
    const auto row = static_cast<std::size_t>(rows[i]);
    if (!add) {
      unpack_row(table, row, 0, d_embedding, out);
      continue;
    }
    unpack_row(table, row, 0, d_embedding, unpacked.data());
    for (std::size_t column = 0; column < d_embedding; ++column) out[column] += unpacked[column];
  }
}

}  // namespace attnviz
