// linear: equal to the naive version on every small shape, and the same bits for a row however it is run.
#include "ops/linear.h"

#include <attnviz/error.h>

#include <array>
#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "each_target.h"
#include "naive_ops.h"
#include "tensor/unpack.h"

namespace attnviz {
namespace {

using naive::random_values;
using naive::Values;

TensorView view_of(const Values& w, std::size_t n_outputs, std::size_t n_inputs) {
  return {DType::kF32, {n_outputs, n_inputs}, reinterpret_cast<const std::byte*>(w.data())};
}

using LinearFunction = void (*)(ThreadPool&, const LinearArgs&);

// Rows of x for weights of any width, 0 included.
struct Input {
  const Values& x;
  std::size_t n_rows;
};

Values run(ThreadPool& pool, const Input& input, const TensorView& w, const Values* bias, LinearFunction function = linear) {
  const auto& [x, n_rows] = input;
  Values y(n_rows * w.shape[0], -99.0F);
  LinearArgs args;
  args.x = x.data();
  args.n_rows = n_rows;
  args.x_stride = w.shape[1];
  args.weight = w;
  args.bias = bias != nullptr ? bias->data() : nullptr;
  args.y = y.data();
  args.y_stride = w.shape[0];
  function(pool, args);
  return y;
}

void expect_near(const Values& got, const Values& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
}

bool same_bits(const Values& a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Linear, EqualsTheNaiveVersionOnSmallShapes) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const std::size_t n_rows : {1, 2, 3, 5, 6, 7, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 40}) {
      for (std::size_t n_outputs = 1; n_outputs <= 40; ++n_outputs) {
        for (const std::size_t n_inputs : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40}) {
          const Values x = random_values(n_rows * n_inputs, 1);
          const Values w = random_values(n_outputs * n_inputs, 2);
          const Values bias = random_values(n_outputs, 3);
          SCOPED_TRACE(testing::Message() << n_rows << " x " << n_outputs << " x " << n_inputs);
          expect_near(run(pool, {x, n_rows}, view_of(w, n_outputs, n_inputs), &bias), naive::linear(x, w, &bias, n_rows, n_inputs),
                      5e-6);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Linear, EqualsTheNaiveVersionOnLargerShapes) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const std::size_t n_rows : {63, 64, 65, 66, 79, 130}) {
      for (const std::size_t n_outputs : {1, 16, 31, 33, 97}) {
        for (const std::size_t n_inputs : {0, 1, 19, 256, 257, 600}) {
          const Values x = random_values(n_rows * n_inputs, 1);
          const Values w = random_values(n_outputs * n_inputs, 2);
          SCOPED_TRACE(testing::Message() << n_rows << " x " << n_outputs << " x " << n_inputs);
          Values want = naive::linear(x, w, nullptr, n_rows, n_inputs);
          want.resize(n_rows * n_outputs);
          expect_near(run(pool, {x, n_rows}, view_of(w, n_outputs, n_inputs), nullptr), want, 3e-5);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Linear, LeavesTheGapsOfStridedRowsAlone) {
  ThreadPool pool(1);
  for (const std::size_t n_rows : {std::size_t{7}, std::size_t{70}}) {
    const std::size_t n_inputs = 9;
    const std::size_t n_outputs = 21;
    const std::size_t x_stride = 11;
    const std::size_t y_stride = 26;
    const Values x = random_values(n_rows * x_stride, 1);
    const Values w = random_values(n_outputs * n_inputs, 2);
    Values y(n_rows * y_stride, 7.0F);
    LinearArgs args;
    args.x = x.data();
    args.n_rows = n_rows;
    args.x_stride = x_stride;
    args.weight = view_of(w, n_outputs, n_inputs);
    args.y = y.data();
    args.y_stride = y_stride;
    linear(pool, args);
    for (std::size_t m = 0; m < n_rows; ++m) {
      const Values row(x.begin() + static_cast<std::ptrdiff_t>(m * x_stride),
                       x.begin() + static_cast<std::ptrdiff_t>(m * x_stride + n_inputs));
      const Values want = naive::linear(row, w, nullptr, 1, n_inputs);
      for (std::size_t n = 0; n < y_stride; ++n) ASSERT_NEAR(y[m * y_stride + n], n < n_outputs ? want[n] : 7.0F, 1e-5);
    }
  }
}

// Random bytes with scales that are numbers, as rows of blocks.
std::vector<std::byte> random_blocks(DType dtype, std::size_t n_blocks) {
  std::vector<std::byte> bytes(n_blocks * dtype_block_bytes(dtype));
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  const auto n = dtype_block_bytes(dtype);
  for (std::size_t block = 0; block < n_blocks; ++block) {
    for (const std::size_t low : {std::size_t{0}, std::size_t{2}, n - 4, n - 2}) bytes[block * n + low + 1] &= std::byte{0xA3};
  }
  return bytes;
}

// Unpacking on the way must not change a bit, on any instruction set: neither in the plan for few rows nor in that for many.
TEST(Linear, BlocksAreTheirUnpackedNumbers) {
  ThreadPool pool(2);
  for (auto type = static_cast<int>(DType::kQ4_0); type <= static_cast<int>(DType::kIQ4_XS); ++type) {
    const auto dtype = static_cast<DType>(type);
    SCOPED_TRACE(dtype_name(dtype));
    const std::size_t n_inputs = dtype_block_size(dtype) == 32 ? 1120 : 1280;  // sums are cut inside blocks
    const std::size_t n_outputs = 40;
    const auto bytes = random_blocks(dtype, n_outputs * n_inputs / dtype_block_size(dtype));
    const TensorView stored{dtype, {n_outputs, n_inputs}, bytes.data()};
    const Values w = unpack_all(stored);
    for (const std::size_t n_rows : {3, 70}) {
      const Values x = random_values(n_rows * n_inputs, 4);
      on_each_target([&] {
        EXPECT_TRUE(
            same_bits(run(pool, {x, n_rows}, stored, nullptr), run(pool, {x, n_rows}, view_of(w, n_outputs, n_inputs), nullptr)));
        const auto some = run(pool, {x, n_rows}, weight_rows(stored, 9, 20), nullptr);
        EXPECT_TRUE(same_bits(some, run(pool, {x, n_rows}, weight_rows(view_of(w, n_outputs, n_inputs), 9, 20), nullptr)));
      });
    }
  }
}

TEST(Linear, OneRowInAnyOrderIsWithinRounding) {
  ThreadPool one(1), three(3);
  on_each_target([&] {
    for (const std::size_t n_inputs : {0, 1, 5, 15, 16, 17, 63, 64, 65, 576, 1537}) {
      for (const std::size_t n_outputs : {1, 3, 130}) {
        SCOPED_TRACE(testing::Message() << n_outputs << " x " << n_inputs);
        const Values x = random_values(n_inputs, 1);
        const Values w = random_values(n_outputs * n_inputs, 2);
        const Values bias = random_values(n_outputs, 3);
        const TensorView view = view_of(w, n_outputs, n_inputs);
        Values want = naive::linear(x, w, &bias, 1, n_inputs);
        if (n_inputs == 0) want = bias;
        const Values got = run(one, {x, 1}, view, &bias, linear_one_row);
        expect_near(got, want, 3e-5);
        EXPECT_TRUE(same_bits(got, run(three, {x, 1}, view, &bias, linear_one_row)));
      }
    }
  });
  const Values x = random_values(512, 4);  // what is unpacked is what would be read
  for (auto type = static_cast<int>(DType::kQ4_0); type <= static_cast<int>(DType::kIQ4_XS); ++type) {
    const auto dtype = static_cast<DType>(type);
    const auto bytes = random_blocks(dtype, 7 * 512 / dtype_block_size(dtype));
    const TensorView stored{dtype, {7, 512}, bytes.data()};
    const Values w = unpack_all(stored);
    EXPECT_TRUE(
        same_bits(run(one, {x, 1}, stored, nullptr, linear_one_row), run(one, {x, 1}, view_of(w, 7, 512), nullptr, linear_one_row)))
        << dtype_name(dtype);
  }
  const Values two = random_values(2 * 9, 5), w = random_values(4 * 9, 6);  // more rows take the other way
  EXPECT_TRUE(
      same_bits(run(one, {two, 2}, view_of(w, 4, 9), nullptr, linear_one_row), run(one, {two, 2}, view_of(w, 4, 9), nullptr)));
}

TEST(Linear, InterleavedRowsComeOutInOrder) {
  ThreadPool pool(1);
  const std::size_t n_inputs = 9;
  const Values stored = random_values(12 * n_inputs, 2);
  TensorView view = view_of(stored, 12, n_inputs);
  view.interleaved_group = 6;
  const Values ordered = unpack_all(view);
  for (const std::size_t n_rows : {3, 70}) {
    const Values x = random_values(n_rows * n_inputs, 4);
    EXPECT_TRUE(same_bits(run(pool, {x, n_rows}, view, nullptr), run(pool, {x, n_rows}, view_of(ordered, 12, n_inputs), nullptr)));
    EXPECT_TRUE(same_bits(run(pool, {x, n_rows}, weight_rows(view, 6, 6), nullptr),
                          run(pool, {x, n_rows}, weight_rows(view_of(ordered, 12, n_inputs), 6, 6), nullptr)));
  }
  EXPECT_THROW(weight_rows(view, 3, 6), Error);
}

// The promise of linear.h: alone, in a batch of any size, for some outputs only, with any number of threads.
TEST(Linear, ARowHasTheSameBitsHoweverItIsRun) {
  on_each_target([&] {
    for (const std::size_t n_inputs : {37, 384, 700}) {
      const std::size_t n_outputs = 101;
      const std::size_t n_rows = 150;
      const Values x = random_values(n_rows * n_inputs, 4);
      const Values w = random_values(n_outputs * n_inputs, 5);
      const Values bias = random_values(n_outputs, 6);
      const TensorView view = view_of(w, n_outputs, n_inputs);
      ThreadPool one(1);
      ThreadPool three(3);
      const Values all = run(one, {x, n_rows}, view, &bias);
      EXPECT_TRUE(same_bits(all, run(three, {x, n_rows}, view, &bias)));
      for (const std::size_t n : {1, 13, 17, 64, 65}) {
        const std::size_t first = 20;
        const Values part(x.begin() + static_cast<std::ptrdiff_t>(first * n_inputs),
                          x.begin() + static_cast<std::ptrdiff_t>((first + n) * n_inputs));
        const Values want(all.begin() + static_cast<std::ptrdiff_t>(first * n_outputs),
                          all.begin() + static_cast<std::ptrdiff_t>((first + n) * n_outputs));
        EXPECT_TRUE(same_bits(run(three, {part, n}, view, &bias), want)) << n << " rows";
        const Values some_bias(bias.begin() + 35, bias.begin() + 35 + 19);
        const Values some = run(one, {part, n}, weight_rows(view, 35, 19), &some_bias);
        for (std::size_t m = 0; m < n; ++m) {
          EXPECT_EQ(std::memcmp(&some[m * 19], &want[m * n_outputs + 35], 19 * sizeof(float)), 0) << n << " rows, row " << m;
        }
      }
    }
  });
}

// Every f16 and bf16 value, multiplied by one: the unpacking inside the kernels is exact.
TEST(Linear, UnpacksHalfPrecisionWeightsExactly) {
  ThreadPool pool(2);
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  on_each_target([&] {
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      const TensorView view{dtype, {bits.size(), 1}, reinterpret_cast<const std::byte*>(bits.data())};
      for (const std::size_t n_rows : {std::size_t{1}, std::size_t{65}}) {
        const Values y = run(pool, {Values(n_rows, 1.0F), n_rows}, view, nullptr);
        for (std::size_t i = 0; i < bits.size(); ++i) {
          float want = 0;
          if (dtype == DType::kBF16) {
            want = std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16);
          } else {
            const int exponent = static_cast<int>(i >> 10 & 31);
            const double fraction = static_cast<double>(i & 1023);
            if (exponent == 31) {
              want = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
            } else {
              want = static_cast<float>(exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
            }
            if (i & 0x8000) want = -want;
          }
          const float got = y[(n_rows - 1) * bits.size() + i];
          ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << "bits " << i << ": " << got << ", want " << want;
        }
      }
    }
  });
}

TEST(Linear, HalfPrecisionEqualsItsF32Copy) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const std::size_t n_inputs : {5, 48, 300}) {
      const std::size_t n_outputs = 45;
      Values w = random_values(n_outputs * n_inputs, 7);
      std::vector<std::uint16_t> halves(w.size());
      for (std::size_t i = 0; i < w.size(); ++i) {
        halves[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(w[i]) >> 16);
        w[i] = std::bit_cast<float>(static_cast<std::uint32_t>(halves[i]) << 16);
      }
      const TensorView view{DType::kBF16, {n_outputs, n_inputs}, reinterpret_cast<const std::byte*>(halves.data())};
      for (const std::size_t n_rows : {3, 20, 90}) {
        const Values x = random_values(n_rows * n_inputs, 8);
        EXPECT_TRUE(
            same_bits(run(pool, {x, n_rows}, view, nullptr), run(pool, {x, n_rows}, view_of(w, n_outputs, n_inputs), nullptr)));
      }
    }
  });
}

TEST(Linear, ATransposedWeightGivesTheSameBits) {
  ThreadPool pool(2);
  on_each_target([&] {
    for (const auto& [n_rows, n_inputs, n_outputs] :
         {std::array<std::size_t, 3>{1, 5, 3}, {7, 200, 40}, {65, 33, 70}, {130, 577, 17}}) {
      const std::size_t n_stored = n_outputs + 9;
      const std::size_t first = 4;
      const Values x = random_values(n_rows * n_inputs, 1);
      const Values w = random_values(n_outputs * n_inputs, 2);
      const Values bias = random_values(n_outputs, 3);
      Values stored(n_inputs * n_stored, 7.0F);
      for (std::size_t k = 0; k < n_inputs; ++k) {
        for (std::size_t n = 0; n < n_outputs; ++n) stored[k * n_stored + first + n] = w[n * n_inputs + k];
      }
      Values y(n_rows * n_outputs);
      LinearArgs args{x.data(), n_rows, n_inputs, view_of(stored, n_inputs, n_stored), bias.data(), y.data(), n_outputs};
      args.transposed = true;
      args.first_output = first;
      args.n_outputs = n_outputs;
      linear(pool, args);
      EXPECT_TRUE(same_bits(y, run(pool, {x, n_rows}, view_of(w, n_outputs, n_inputs), &bias)));
    }
  });
}

}  // namespace
}  // namespace attnviz
