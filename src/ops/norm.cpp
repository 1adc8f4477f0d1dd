// See norm.h.
#include "ops/norm.h"

#include <algorithm>
#include <cmath>

#include "ops/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

// y = x + residual; returns about the mean of y: with an offset, the sum in f32 is short of digits.
float add_and_mean(const float* x, const float* residual, std::size_t d_model, float* y) {
  LongSum sum;
  for (std::size_t i = 0; i < d_model; i += kLanes) {
    Vec value = load_part(x + i, d_model - i);
    if (residual != nullptr) value = hn::Add(value, load_part(residual + i, d_model - i));
    store_part(value, y + i, d_model - i);
    sum.add(value);
  }
  return static_cast<float>(sum.total() / static_cast<double>(d_model));
}

struct Moments {
  double mean = 0;      // of y - centre: what the centre is off
  double variance = 0;  // around that mean
};

// y -= centre; the moments of the result are sums of small numbers, so they are exact enough.
Moments centre_rows(float centre, std::size_t d_model, float* y) {
  LongSum sum;
  LongSum squares;
  const Vec centres = hn::Set(kF32, centre);
  std::size_t i = 0;
  for (; i + kLanes <= d_model; i += kLanes) {
    const Vec value = hn::Sub(hn::LoadU(kF32, y + i), centres);
    hn::StoreU(value, kF32, y + i);
    sum.add(value);
    squares.add(hn::Mul(value, value));
  }
  double total = sum.total();
  double total_squares = squares.total();
  for (; i < d_model; ++i) {
    y[i] -= centre;
    total += static_cast<double>(y[i]);
    total_squares += static_cast<double>(y[i]) * static_cast<double>(y[i]);
  }
  const double mean = total / static_cast<double>(d_model);
  return {mean, std::max(0.0, total_squares / static_cast<double>(d_model) - mean * mean)};
}

void layer_norm_rows(const NormArgs& args, std::size_t begin, std::size_t end) {
  const std::size_t d_model = args.d_model;
  for (std::size_t row = begin; row < end; ++row) {
    float* y = args.y + row * d_model;
    const float* residual = args.residual != nullptr ? args.residual + row * d_model : nullptr;
    const Moments moments = centre_rows(add_and_mean(args.x + row * d_model, residual, d_model, y), d_model, y);
    const Vec mean = hn::Set(kF32, static_cast<float>(moments.mean));
    const Vec factor = hn::Set(kF32, static_cast<float>(1.0 / std::sqrt(moments.variance + static_cast<double>(args.epsilon))));
    for (std::size_t i = 0; i < d_model; i += kLanes) {
      const std::size_t n = d_model - i;
      const Vec scaled = hn::Mul(hn::Sub(load_part(y + i, n), mean), factor);
      const Vec beta = args.beta != nullptr ? load_part(args.beta + i, n) : hn::Zero(kF32);
      store_part(hn::MulAdd(scaled, load_part(args.gamma + i, n), beta), y + i, n);
    }
  }
}

void rms_norm_rows(const NormArgs& args, std::size_t begin, std::size_t end) {
  const std::size_t d_model = args.d_model;
  for (std::size_t row = begin; row < end; ++row) {
    const float* x = args.x + row * d_model;
    const float* residual = args.residual != nullptr ? args.residual + row * d_model : nullptr;
    float* y = args.y + row * d_model;
    LongSum squares;
    for (std::size_t i = 0; i < d_model; i += kLanes) {
      Vec value = load_part(x + i, d_model - i);
      if (residual != nullptr) value = hn::Add(value, load_part(residual + i, d_model - i));
      store_part(value, y + i, d_model - i);
      squares.add(hn::Mul(value, value));
    }
    const double mean = squares.total() / static_cast<double>(d_model);
    const Vec factor = hn::Set(kF32, static_cast<float>(1.0 / std::sqrt(mean + static_cast<double>(args.epsilon))));
    for (std::size_t i = 0; i < d_model; i += kLanes) {
      const std::size_t n = d_model - i;
      store_part(hn::Mul(hn::Mul(load_part(y + i, n), factor), load_part(args.gamma + i, n)), y + i, n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(layer_norm_rows);
HWY_EXPORT(rms_norm_rows);

constexpr std::size_t kValuesATask = 8192;  // some microseconds of work

// Calls rows(begin, end) for stretches of the rows.
template <class Rows>
void run_rows(ThreadPool& pool, const NormArgs& args, const Rows& rows) {
  if (args.d_model == 0) return;
  const std::size_t rows_a_task = std::max<std::size_t>(1, kValuesATask / args.d_model);
  pool.run((args.n_rows + rows_a_task - 1) / rows_a_task,
           [&](std::size_t task, std::size_t) { rows(task * rows_a_task, std::min(args.n_rows, (task + 1) * rows_a_task)); });
}

}  // namespace

void layer_norm(ThreadPool& pool, const NormArgs& args) {
  run_rows(pool, args, [&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(layer_norm_rows)(args, begin, end); });
}

void rms_norm(ThreadPool& pool, const NormArgs& args) {
  run_rows(pool, args, [&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(rms_norm_rows)(args, begin, end); });
}

void norm_factors(const NormArgs& args, bool is_rms, float* y) {
  const auto n = static_cast<double>(args.d_model);
  for (std::size_t row = 0; row < args.n_rows; ++row, y += 2) {
    const float* x = args.x + row * args.d_model;
    const auto value = [&](std::size_t i) {
      return args.residual == nullptr ? static_cast<double>(x[i])
                                      : static_cast<double>(x[i] + args.residual[row * args.d_model + i]);
    };
    double mean = 0;
    for (std::size_t i = 0; i < args.d_model && !is_rms; ++i) mean += value(i) / n;
    double squares = 0;
    for (std::size_t i = 0; i < args.d_model; ++i) squares += (value(i) - mean) * (value(i) - mean) / n;
    y[0] = static_cast<float>(mean);
    y[1] = static_cast<float>(1.0 / std::sqrt(squares + static_cast<double>(args.epsilon)));
  }
}

}  // namespace attnviz
#endif  // HWY_ONCE
