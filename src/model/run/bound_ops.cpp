// See bound_ops.h.
#include "model/run/bound_ops.h"

#include "ops/linear.h"
#include "ops/norm.h"
#include "tensor/unpack.h"

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
  args.bias = projection.set->vector(projection.bias_role.value_or(bias_of(projection.role)));
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

std::vector<float> output_weights_of_head(const TensorSet& set, TensorRole role, std::size_t head, std::size_t d_head) {
  const BoundTensor& matrix = set.at(role);
  const std::size_t d_model = matrix.transposed ? matrix.view.shape[1] : matrix.view.shape[0];
  const std::size_t first = head * d_head;
  std::vector<float> weights(d_model * d_head);
  if (!matrix.transposed) {
    for (std::size_t row = 0; row < d_model; ++row) {
      unpack_row(matrix.view, matrix.first_row + row, first, d_head, weights.data() + row * d_head);
    }
    return weights;
  }
  std::vector<float> inputs(d_model);  // stored [inputs, outputs]: the head's inputs are rows
  for (std::size_t i = 0; i < d_head; ++i) {
    unpack_row(matrix.view, first + i, matrix.first_row, d_model, inputs.data());
    for (std::size_t row = 0; row < d_model; ++row) weights[row * d_head + i] = inputs[row];
  }
  return weights;
}

void normalise(ThreadPool& pool, const NormSpec& spec, const TensorSet& set, TensorRole role, const NormRows& rows) {
  const NormArgs args{rows.x,       rows.residual, set.vector(role), set.vector(bias_of(role)),
                      spec.epsilon, rows.n_rows,   rows.width,       rows.y};
  if (spec.kind == NormKind::kRms) {
    rms_norm(pool, args);
  } else {
    layer_norm(pool, args);
  }
}

}  // namespace attnviz
