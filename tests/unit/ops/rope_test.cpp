// rope against the rotation of complex numbers, in both layouts of pairs.
#include "ops/rope.h"

#include <complex>
#include <numeric>

#include <gtest/gtest.h>

#include "naive_ops.h"

namespace attnviz {
namespace {

using naive::random_values;
using naive::Values;

struct Case {
  std::size_t n_heads, d_head, d_rotary;
  bool adjacent_pairs;
};

void check(const Case& test) {
  const std::size_t n_rows = 33;
  const std::size_t stride = test.n_heads * test.d_head + 3;
  const std::size_t half = test.d_rotary / 2;
  const Values x = random_values(n_rows * stride, 1);
  std::vector<float> frequencies;
  for (std::size_t i = 0; i < half; ++i) frequencies.push_back(1.0F / static_cast<float>(i * i + 1));
  std::vector<std::int32_t> positions;
  for (std::size_t row = 0; row < n_rows; ++row) positions.push_back(static_cast<std::int32_t>(row * 7 % 50));
  const RopeTable table = make_rope_table(frequencies, 1.5F, 50);
  Values y = x;
  ThreadPool pool(2);
  rope(pool, {&table, test.d_rotary, test.adjacent_pairs, positions, y.data(), stride, test.n_heads, test.d_head});
  for (std::size_t row = 0; row < n_rows; ++row) {
    Values want(x.begin() + static_cast<std::ptrdiff_t>(row * stride), x.begin() + static_cast<std::ptrdiff_t>((row + 1) * stride));
    for (std::size_t head = 0; head < test.n_heads; ++head) {
      const std::size_t first = head * test.d_head;
      for (std::size_t i = 0; i < half; ++i) {
        const float* from = x.data() + row * stride + first;
        const std::complex<double> pair = test.adjacent_pairs ? std::complex<double>(from[2 * i], from[2 * i + 1])
                                                              : std::complex<double>(from[i], from[i + half]);
        const std::complex<double> turned = pair * std::polar(1.5, static_cast<double>(positions[row]) * frequencies[i]);
        want[first + i] = static_cast<float>(turned.real());
        want[first + i + half] = static_cast<float>(turned.imag());
      }
    }
    for (std::size_t i = 0; i < stride; ++i) ASSERT_NEAR(y[row * stride + i], want[i], 5e-6) << "row " << row << ", column " << i;
  }
}

TEST(Rope, TurnsPairsByTheirPosition) {
  for (const bool adjacent_pairs : {false, true}) {
    check({1, 2, 2, adjacent_pairs});
    check({3, 10, 10, adjacent_pairs});
    check({2, 10, 4, adjacent_pairs});  // the last six columns stay
    check({5, 64, 64, adjacent_pairs});
  }
}

TEST(Rope, DotProductsDependOnTheDistanceOnly) {
  const Values q = random_values(8, 1);
  const Values k = random_values(8, 2);
  const std::vector<float> frequencies = {1.0F, 0.3F, 0.1F, 0.01F};
  const RopeTable table = make_rope_table(frequencies, 1.0F, 40);
  ThreadPool pool(1);
  const auto dot = [&](std::int32_t query, std::int32_t key) {
    Values a = q;
    Values b = k;
    rope(pool, {&table, 8, false, {&query, 1}, a.data(), 8, 1, 8});
    rope(pool, {&table, 8, false, {&key, 1}, b.data(), 8, 1, 8});
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  EXPECT_NEAR(dot(9, 4), dot(35, 30), 1e-5);
  EXPECT_GT(std::abs(dot(9, 4) - dot(9, 5)), 1e-3);
}

}  // namespace
}  // namespace attnviz
