// exp, erf and long sums in f32 vectors, per instruction set. Accuracy is tested through softmax and the activations.
#if defined(ATTNVIZ_OPS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNVIZ_OPS_VECTOR_MATH_INL_H_
#undef ATTNVIZ_OPS_VECTOR_MATH_INL_H_
#else
#define ATTNVIZ_OPS_VECTOR_MATH_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

// exp(x) for x <= 88, about 1 ulp; exactly 0 below -87.3 (where the result would be subnormal), NaN stays NaN. With n the integer
// next to x / ln 2 and r = x - n ln 2 (ln 2 in two parts), exp(x) = 2^n exp(r), |r| <= 0.35. exp(r) = 1 + r + r^2 P(r), fitted by
// iteratively reweighted least squares to a relative error of 3.1e-9.
HWY_INLINE Vec exp_vector(Vec x) {
  const hn::Rebind<std::int32_t, F32> integers;
  const Vec n = hn::Round(hn::Mul(x, hn::Set(kF32, 1.44269504F)));
  Vec r = hn::NegMulAdd(n, hn::Set(kF32, 0.693359375F), x);  // nine bits: n times it is exact
  r = hn::NegMulAdd(n, hn::Set(kF32, -2.12194440e-4F), r);
  Vec p = hn::MulAdd(r, hn::Set(kF32, 1.38145286646e-3F), hn::Set(kF32, 8.36874633525e-3F));
  p = hn::MulAdd(p, r, hn::Set(kF32, 4.16683910286e-2F));
  p = hn::MulAdd(p, r, hn::Set(kF32, 1.66665203858e-1F));
  p = hn::MulAdd(p, r, hn::Set(kF32, 4.99999934309e-1F));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), hn::Set(kF32, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, 127)));
  const Vec result = hn::Mul(p, hn::BitCast(kF32, exponent));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(kF32, -87.3F)), result);  // where n was out of range too
}

// erf(z), |error| < 2.5e-7 with f32 rounding, NaN stays NaN. Odd rational function z P(z^2) / Q(z^2) fitted by iteratively
// reweighted least squares to |error| < 2.2e-8 on [-4, 4]; from 3.92 on erf is 1 in f32, exactly, or x (1 + erf) would grow again
// far out.
HWY_INLINE Vec erf_vector(Vec z) {
  const Vec t = hn::Mul(z, z);
  Vec p = hn::MulAdd(t, hn::Set(kF32, 1.97497141821e-6F), hn::Set(kF32, 2.88000822582e-4F));
  p = hn::MulAdd(p, t, hn::Set(kF32, 4.00223114487e-3F));
  p = hn::MulAdd(p, t, hn::Set(kF32, 5.34631602155e-2F));
  p = hn::MulAdd(p, t, hn::Set(kF32, 1.96217140462e-1F));
  p = hn::MulAdd(p, t, hn::Set(kF32, 1.12837897843F));
  Vec q = hn::MulAdd(t, hn::Set(kF32, 3.74801775241e-5F), hn::Set(kF32, 1.2159987365e-3F));
  q = hn::MulAdd(q, t, hn::Set(kF32, 1.54416260005e-2F));
  q = hn::MulAdd(q, t, hn::Set(kF32, 1.16463154517e-1F));
  q = hn::MulAdd(q, t, hn::Set(kF32, 5.07224088133e-1F));
  q = hn::MulAdd(q, t, hn::Set(kF32, 1.0F));
  const Vec inside = hn::Div(hn::Mul(z, p), q);
  const auto is_outside = hn::Ge(hn::Abs(z), hn::Set(kF32, 3.92F));
  return hn::IfThenElse(is_outside, hn::CopySign(hn::Set(kF32, 1.0F), z), inside);
}

// 1 / (1 + exp(-x)), by way of exp(-|x|), which cannot overflow.
HWY_INLINE Vec sigmoid_vector(Vec x) {
  const Vec one = hn::Set(kF32, 1.0F);
  const Vec e = exp_vector(hn::Neg(hn::Abs(x)));
  const auto is_negative = hn::Lt(x, hn::Zero(kF32));
  return hn::Div(hn::IfThenElse(is_negative, e, one), hn::Add(one, e));
}

// tanh(x), relative error about 1e-7, NaN stays NaN. Near 0 its power series: the quotient of exponentials would lose its digits.
HWY_INLINE Vec tanh_vector(Vec x) {
  const Vec one = hn::Set(kF32, 1.0F);
  const Vec size = hn::Abs(x);
  const Vec e = exp_vector(hn::Mul(size, hn::Set(kF32, -2.0F)));
  const Vec far = hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
  const Vec t = hn::Mul(x, x);
  Vec p = hn::MulAdd(t, hn::Set(kF32, -8.8632355299021966e-3F), hn::Set(kF32, 2.1869488536155203e-2F));
  p = hn::MulAdd(p, t, hn::Set(kF32, -5.3968253968253971e-2F));
  p = hn::MulAdd(p, t, hn::Set(kF32, 1.3333333333333333e-1F));
  p = hn::MulAdd(p, t, hn::Set(kF32, -3.3333333333333333e-1F));
  const Vec near = hn::MulAdd(hn::Mul(p, t), x, x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(kF32, 0.35F)), near, far);
}

// The sum of a long stream of vectors: f32 lanes for a stretch, then f64, so that the error does not grow with the length.
class LongSum {
 public:
  // Written out: an implicit one would be built for the wrong instruction set.
  HWY_INLINE LongSum() : lanes_(hn::Zero(kF32)), total_(hn::Zero(kWide)) {}

  HWY_INLINE void add(Vec value) {
    lanes_ = hn::Add(lanes_, value);
    if (++n_ == kStretch) flush();
  }

  HWY_INLINE double total() {
    if (n_ != 0) flush();
    return hn::GetLane(hn::SumOfLanes(kWide, total_));
  }

 private:
#if HWY_TARGET == HWY_SCALAR
  static constexpr hn::ScalableTag<double> kWide{};

  HWY_INLINE void flush() {
    total_ = hn::Add(total_, hn::PromoteTo(kWide, lanes_));
#else
  static constexpr hn::Repartition<double, F32> kWide{};

  HWY_INLINE void flush() {
    const hn::Half<F32> half;
    const auto low = hn::PromoteTo(kWide, hn::LowerHalf(half, lanes_));
    total_ = hn::Add(total_, hn::Add(low, hn::PromoteTo(kWide, hn::UpperHalf(half, lanes_))));
#endif
    lanes_ = hn::Zero(kF32);
    n_ = 0;
  }

  static constexpr std::size_t kStretch = 32;

  Vec lanes_;
  hn::Vec<std::remove_const_t<decltype(kWide)>> total_;
  std::size_t n_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
