// Rows of a stored table (f32, f16, bf16, blocks), copied or added. Tested in tests/unit/ops/embedding_test.cpp.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace attnviz {

// y[i] (+)= table[rows[i]] for table [V, E], y [rows.size(), E]. Every row must be in range (checked by the caller).
void embed_rows(const TensorView& table, std::span<const std::int32_t> rows, bool add, float* y);

}  // namespace attnviz
