// See stream_rows.h. Processors whose stores are as wide as a cache line (AVX-512) write whole lines past the cache. Narrower
// streaming stores gain nothing over a plain copy, so other processors copy plainly.
#include "base/stream_rows.h"

#include <algorithm>
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace attnviz {
namespace {

#ifdef __x86_64__
constexpr std::size_t kLine = 16;  // floats per cache line

__attribute__((target("avx512f"))) void stream_lines(const RowCopy& copy) {
  for (std::size_t row = 0; row < copy.n_rows; ++row) {
    const float* from = copy.from + row * copy.from_stride;
    float* to = copy.to + row * copy.n_columns;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kLine;
    std::size_t i = past == 0 ? 0 : std::min(copy.n_columns, kLine - past);
    std::copy(from, from + i, to);  // up to the first whole line of `to`
    for (; i + kLine <= copy.n_columns; i += kLine) _mm512_stream_ps(to + i, _mm512_loadu_ps(from + i));
    std::copy(from + i, from + copy.n_columns, to + i);  // after the last whole line
  }
  _mm_sfence();  // streaming stores are weakly ordered
}
#endif

}  // namespace

void stream_rows(const RowCopy& copy) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return stream_lines(copy);
#endif
  for (std::size_t row = 0; row < copy.n_rows; ++row) {
    std::copy_n(copy.from + row * copy.from_stride, copy.n_columns, copy.to + row * copy.n_columns);
  }
}

}  // namespace attnviz
