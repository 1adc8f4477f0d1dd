// See stream_rows.h.
#include "ops/stream_rows.h"

#include "ops/simd_targets.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/stream_rows.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void copy_rows(const RowCopy& copy) {
  const hn::ScalableTag<float> tag;
  const std::size_t n_lanes = hn::Lanes(tag);
  for (std::size_t row = 0; row < copy.n_rows; ++row) {
    const float* from = copy.from + row * copy.from_stride;
    float* to = copy.to + row * copy.n_columns;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % n_lanes;  // the vector that `to` lies in
    std::size_t i = past == 0 ? 0 : std::min(copy.n_columns, n_lanes - past);
    std::copy(from, from + i, to);
    for (; i + n_lanes <= copy.n_columns; i += n_lanes) hn::Stream(hn::LoadU(tag, from + i), tag, to + i);
    std::copy(from + i, from + copy.n_columns, to + i);
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(copy_rows);

}  // namespace

void stream_rows(const RowCopy& copy) { HWY_DYNAMIC_DISPATCH(copy_rows)(copy); }

}  // namespace attnviz
#endif  // HWY_ONCE
