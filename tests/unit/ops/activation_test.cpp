// Activations against libm in f64 over the whole range where they bend, and at the edges.
#include "ops/activation.h"

#include <limits>

#include <gtest/gtest.h>

#include "each_target.h"
#include "naive_ops.h"

namespace attnviz {
namespace {

constexpr Activation kAll[] = {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu};

TEST(Activation, IsCloseToLibm) {
  ThreadPool pool(2);
  std::vector<float> x;
  for (int i = -240000; i <= 240000; ++i) x.push_back(static_cast<float>(i) / 20000.0F);
  for (const float far : {13.0F, 50.0F, 100.0F, 1000.0F, 1e30F, 1e-3F, 1e-20F, 1e-40F}) {
    x.push_back(far);
    x.push_back(-far);
  }
  on_each_target([&] {
    for (const Activation kind : kAll) {
      std::vector<float> y = x;
      activate(pool, kind, y.data(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = naive::activation(kind, x[i]);
        ASSERT_NEAR(y[i], want, 1.2e-6 * std::max(1.0, std::fabs(want))) << "kind " << static_cast<int>(kind) << " of " << x[i];
      }
    }
  });
}

TEST(Activation, KeepsZeroAndNan) {
  ThreadPool pool(1);
  on_each_target([&] {
    for (const Activation kind : kAll) {
      float values[2] = {0.0F, std::numeric_limits<float>::quiet_NaN()};
      activate(pool, kind, values, 2);
      EXPECT_EQ(values[0], 0.0F);
      EXPECT_TRUE(std::isnan(values[1])) << static_cast<int>(kind);
    }
  });
}

TEST(Activation, AnElementHasTheSameBitsWhereverItLies) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const Activation kind : kAll) {
      const std::vector<float> x = naive::random_values(20000, 1, 4.0F);
      std::vector<float> whole = x;
      activate(pool, kind, whole.data(), whole.size());
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t n = 1 + i % 40;
        std::vector<float> part(x.begin() + static_cast<std::ptrdiff_t>(i * 97),
                                x.begin() + static_cast<std::ptrdiff_t>(i * 97 + n));
        activate(pool, kind, part.data(), n);
        for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(part[j], whole[i * 97 + j]);
      }
    }
  });
}

TEST(Activation, IsMultipliedByItsGate) {
  ThreadPool pool(2);
  const std::vector<float> factors = naive::random_values(20003, 2, 3.0F);
  on_each_target([&] {
    for (const Activation kind : kAll) {
      std::vector<float> plain = naive::random_values(factors.size(), 1, 4.0F);
      std::vector<float> gated = plain;
      activate(pool, kind, plain.data(), plain.size());
      activate_gated(pool, kind, gated.data(), factors.data(), gated.size());
      for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(gated[i], plain[i] * factors[i]);
    }
  });
}

}  // namespace
}  // namespace attnviz
