// Stored numbers to f32: exact for f32, f16 and bf16, and for blocks (blocks-inl.h) bit for bit as the reference does.
// Tested in tests/unit/tensor/unpack_test.cpp and blocks_test.cpp.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>
#include <vector>

namespace attnviz {

// Elements [begin, begin + n) of row `row` of a [R, C] view -> out [n]. A vector has one-element rows: use row = index. The range
// may begin and end inside a block.
void unpack_row(const TensorView& view, std::size_t row, std::size_t begin, std::size_t n, float* out);

// The whole tensor as f32, row-major.
std::vector<float> unpack_all(const TensorView& view);

}  // namespace attnviz
