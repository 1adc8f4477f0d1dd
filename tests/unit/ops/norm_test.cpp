// layer_norm and rms_norm against f64, tails and in-place use included.
#include "ops/norm.h"

#include <gtest/gtest.h>

#include "each_target.h"
#include "naive_ops.h"

namespace attnviz {
namespace {

using naive::random_values;
using naive::Values;

Values naive_layer_norm(const Values& x, const Values& gamma, const Values& beta, double epsilon) {
  const std::size_t d_model = gamma.size();
  Values y(x.size());
  for (std::size_t row = 0; row < x.size() / d_model; ++row) {
    const float* values = x.data() + row * d_model;
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < d_model; ++i) mean += values[i] / static_cast<double>(d_model);
    for (std::size_t i = 0; i < d_model; ++i) variance += (values[i] - mean) * (values[i] - mean) / static_cast<double>(d_model);
    for (std::size_t i = 0; i < d_model; ++i) {
      y[row * d_model + i] = static_cast<float>((values[i] - mean) / std::sqrt(variance + epsilon) * gamma[i] + beta[i]);
    }
  }
  return y;
}

NormArgs make_args(const Values& gamma, const Values& beta, std::size_t n_rows) {
  NormArgs args;
  args.gamma = gamma.data();
  args.beta = beta.data();
  args.epsilon = 1e-5F;
  args.n_rows = n_rows;
  args.d_model = gamma.size();
  return args;
}

TEST(LayerNorm, EqualsTheNaiveVersionAtEveryWidth) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const std::size_t d_model : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 384, 1023, 5000}) {
      for (const float offset : {0.0F, 100.0F}) {
        const std::size_t n_rows = 37;
        Values x = random_values(n_rows * d_model, 1);
        for (float& value : x) value += offset;
        const Values gamma = random_values(d_model, 2);
        const Values beta = random_values(d_model, 3);
        const Values want = naive_layer_norm(x, gamma, beta, 1e-5F);
        Values y(x.size());
        NormArgs args = make_args(gamma, beta, n_rows);
        args.x = x.data();
        args.y = y.data();
        layer_norm(pool, args);
        const double tolerance = offset == 0.0F ? 2e-6 : 5e-6;
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want[i], tolerance) << d_model << " wide, element " << i;
      }
    }
  });
}

TEST(LayerNorm, AddsTheResidualAndWorksInPlace) {
  ThreadPool pool(2);
  const std::size_t d_model = 19;
  const std::size_t n_rows = 5;
  const Values x = random_values(n_rows * d_model, 1);
  const Values residual = random_values(n_rows * d_model, 2);
  const Values gamma = random_values(d_model, 3);
  const Values beta = random_values(d_model, 4);
  Values sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] = x[i] + residual[i];
  const Values want = naive_layer_norm(sum, gamma, beta, 1e-5F);
  for (const bool over_x : {true, false}) {
    Values place = over_x ? x : residual;
    NormArgs args = make_args(gamma, beta, n_rows);
    args.x = over_x ? place.data() : x.data();
    args.residual = over_x ? residual.data() : place.data();
    args.y = place.data();
    layer_norm(pool, args);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(place[i], want[i], 2e-6);
  }
}

TEST(LayerNorm, ARowHasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t d_model = 384;
  const std::size_t n_rows = 200;
  const Values gamma = random_values(d_model, 2);
  const Values beta = random_values(d_model, 3);
  Values results[2];
  for (const std::size_t n_threads : {1, 2}) {
    ThreadPool pool(n_threads);
    Values& y = results[n_threads - 1];
    y = random_values(n_rows * d_model, 1);
    NormArgs args = make_args(gamma, beta, n_rows);
    args.x = y.data();
    args.y = y.data();
    layer_norm(pool, args);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(LayerNorm, MayLackItsBias) {
  ThreadPool pool(1);
  const std::size_t d_model = 21;
  const Values x = random_values(3 * d_model, 1);
  const Values gamma = random_values(d_model, 2);
  const Values want = naive_layer_norm(x, gamma, Values(d_model, 0.0F), 1e-5F);
  Values y(x.size());
  NormArgs args = make_args(gamma, gamma, 3);
  args.beta = nullptr;
  args.x = x.data();
  args.y = y.data();
  layer_norm(pool, args);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(y[i], want[i], 2e-6);
}

TEST(RmsNorm, EqualsTheNaiveVersionAtEveryWidth) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const std::size_t d_model : {1, 2, 3, 5, 8, 15, 16, 17, 33, 576, 5000}) {
      for (const bool has_residual : {false, true}) {
        const std::size_t n_rows = 37;
        const Values x = random_values(n_rows * d_model, 1, 3.0F);
        const Values residual = random_values(n_rows * d_model, 4);
        const Values gamma = random_values(d_model, 2);
        Values y = x;  // in place
        NormArgs args = make_args(gamma, gamma, n_rows);
        args.beta = nullptr;
        args.x = y.data();
        args.y = y.data();
        args.residual = has_residual ? residual.data() : nullptr;
        rms_norm(pool, args);
        for (std::size_t row = 0; row < n_rows; ++row) {
          const auto value = [&](std::size_t i) {
            return static_cast<double>(x[row * d_model + i]) + (has_residual ? residual[row * d_model + i] : 0.0F);
          };
          double mean = 0;
          for (std::size_t i = 0; i < d_model; ++i) mean += value(i) * value(i) / static_cast<double>(d_model);
          for (std::size_t i = 0; i < d_model; ++i) {
            const double want = value(i) / std::sqrt(mean + 1e-5F) * gamma[i];
            ASSERT_NEAR(y[row * d_model + i], want, 2e-6) << d_model << " wide, row " << row << ", element " << i;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace attnviz
