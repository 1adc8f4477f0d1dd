// Laws of linear: equal to the naive version, and each row's bits its own business.
#include <cstring>

#include "check.h"
#include "naive_ops.h"
#include "ops/linear.h"

namespace attnviz {
namespace {

using naive::Values;

Values run(std::size_t n_threads, const float* x, std::size_t n_rows, const TensorView& weight) {
  Values y(n_rows * weight.shape[0]);
  LinearArgs args;
  args.x = x;
  args.n_rows = n_rows;
  args.x_stride = weight.shape[1];
  args.weight = weight;
  args.y = y.data();
  args.y_stride = weight.shape[0];
  ThreadPool pool(n_threads);
  linear(pool, args);
  return y;
}

struct Product {
  std::size_t n_rows = any_size(1, 140);
  std::size_t n_outputs = any_size(1, 90);
  std::size_t n_inputs = any_size(1, 530);
  unsigned seed = static_cast<unsigned>(any_size(0, 1000));
  Values x = naive::random_values(n_rows * n_inputs, seed);
  Values w = naive::random_values(n_outputs * n_inputs, seed + 1);
  TensorView weight{DType::kF32, {n_outputs, n_inputs}, reinterpret_cast<const std::byte*>(w.data())};
};

TEST(LinearLaws, EqualsTheNaiveVersion) {
  check("fast equals naive", [] {
    const Product product;
    const Values got = run(2, product.x.data(), product.n_rows, product.weight);
    const Values want = naive::linear(product.x, product.w, nullptr, product.n_rows, product.n_inputs);
    for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(std::fabs(got[i] - want[i]) < 3e-5F);
  });
}

TEST(LinearLaws, ARowDependsOnNothingButItself) {
  check("any rows, any outputs, any threads: the same bits", [] {
    const Product product;
    const Values whole = run(1, product.x.data(), product.n_rows, product.weight);
    const std::size_t first = any_size(0, product.n_rows - 1);
    const std::size_t n = any_size(1, product.n_rows - first);
    const std::size_t output = any_size(0, product.n_outputs - 1);
    const std::size_t n_outputs = any_size(1, product.n_outputs - output);
    const Values part =
        run(any_size(1, 4), product.x.data() + first * product.n_inputs, n, weight_rows(product.weight, output, n_outputs));
    for (std::size_t row = 0; row < n; ++row) {
      RC_ASSERT(
          std::memcmp(&part[row * n_outputs], &whole[(first + row) * product.n_outputs + output], n_outputs * sizeof(float)) == 0);
    }
  });
}

}  // namespace
}  // namespace attnviz
