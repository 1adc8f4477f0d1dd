// See activation.h.
#include "ops/activation.h"

#include <algorithm>

#include "ops/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

struct Gelu {
  HWY_INLINE Vec operator()(Vec x) const {
    const Vec half = hn::Mul(x, hn::Set(kF32, 0.5F));
    return hn::MulAdd(half, erf_vector(hn::Mul(x, hn::Set(kF32, 0.707106781F))), half);
  }
};

// x / 2 (1 + tanh(u)) = x / (1 + exp(-2u)) with u = sqrt(2 / pi) (x + 0.044715 x^3).
struct GeluTanh {
  HWY_INLINE Vec operator()(Vec x) const {
    const Vec inner = hn::MulAdd(hn::Mul(hn::Set(kF32, 0.044715F), hn::Mul(x, x)), x, x);
    return hn::Mul(x, sigmoid_vector(hn::Mul(hn::Set(kF32, 1.595769122F), inner)));
  }
};

struct Relu {
  HWY_INLINE Vec operator()(Vec x) const { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(kF32)), x); }
};

struct Silu {
  HWY_INLINE Vec operator()(Vec x) const { return hn::Mul(x, sigmoid_vector(x)); }
};

// values = function(values), times factors where there are any
template <class Function>
void map_values(const Function& function, float* values, const float* factors, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec value = function(hn::LoadU(kF32, values + i));
    if (factors != nullptr) value = hn::Mul(value, hn::LoadU(kF32, factors + i));
    hn::StoreU(value, kF32, values + i);
  }
  if (i == n) return;
  Vec value = function(load_part(values + i, n - i));
  if (factors != nullptr) value = hn::Mul(value, load_part(factors + i, n - i));
  store_part(value, values + i, n - i);
}

void activate_values(Activation activation, float* values, const float* factors, std::size_t n) {
  switch (activation) {
    case Activation::kGelu: return map_values(Gelu{}, values, factors, n);
    case Activation::kGeluTanh: return map_values(GeluTanh{}, values, factors, n);
    case Activation::kRelu: return map_values(Relu{}, values, factors, n);
    case Activation::kSilu: return map_values(Silu{}, values, factors, n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(activate_values);

constexpr std::size_t kValuesATask = 8192;  // some microseconds of work

}  // namespace

void activate(ThreadPool& pool, Activation activation, float* values, std::size_t n) {
  activate_gated(pool, activation, values, nullptr, n);
}

void activate_gated(ThreadPool& pool, Activation activation, float* values, const float* factors, std::size_t n) {
  pool.run((n + kValuesATask - 1) / kValuesATask, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kValuesATask;
    HWY_DYNAMIC_DISPATCH(activate_values)
    (activation, values + begin, factors == nullptr ? nullptr : factors + begin, std::min(kValuesATask, n - begin));
  });
}

}  // namespace attnviz
#endif  // HWY_ONCE
