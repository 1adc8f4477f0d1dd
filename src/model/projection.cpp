// See projection.h.
#include "model/projection.h"

#include "ops/linear.h"

namespace attnviz {
namespace {

// Rows [first, first + n) of the role's matrix, with everything but the output.
LinearArgs matrix_rows(const Projection& projection, std::size_t first, std::size_t n) {
  const BoundTensor& matrix = projection.set->at(projection.role);
  LinearArgs args;
  args.x = projection.x;
  args.n_rows = projection.n_rows;
  args.x_stride = projection.d_in;
  if (matrix.transposed) {
    args.weight = matrix.view;
    args.transposed = true;
    args.first_output = matrix.first_row + first;
    args.n_outputs = n;
  } else {
    args.weight = weight_rows(matrix.view, matrix.first_row + first, n);
  }
  return args;
}

void multiply(ThreadPool& pool, const Projection& projection, const LinearArgs& args) {
  if (projection.any_order) {
    linear_one_row(pool, args);
  } else {
    linear(pool, args);
  }
}

}  // namespace

void project(ThreadPool& pool, const Projection& projection, std::size_t d_out) {
  LinearArgs args = matrix_rows(projection, 0, d_out);
  args.bias = projection.set->vector(bias_of(projection.role));
  args.y = projection.y;
  args.y_stride = d_out;
  multiply(pool, projection, args);
}

void project_heads(ThreadPool& pool, const Projection& projection, std::span<const std::size_t> heads, std::size_t d_head) {
  const BoundTensor& matrix = projection.set->at(projection.role);
  const std::size_t head_stride = matrix.head_stride > 0 ? matrix.head_stride : d_head;
  const float* bias = projection.set->vector(bias_of(projection.role));
  for (std::size_t begin = 0, end = 0; begin < heads.size(); begin = end) {
    for (end = begin + 1; head_stride == d_head && end < heads.size() && heads[end] == heads[end - 1] + 1;) ++end;
    LinearArgs args = matrix_rows(projection, heads[begin] * head_stride, (end - begin) * d_head);
    args.bias = bias == nullptr ? nullptr : bias + heads[begin] * d_head;
    args.y = projection.y + begin * d_head;
    args.y_stride = heads.size() * d_head;
    multiply(pool, projection, args);
  }
}

}  // namespace attnviz
