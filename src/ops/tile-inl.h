// The one matrix kernel of the engine, per instruction set: C[r][c] = sum_k A[r][k] * B[k][c], with A read row by row through
// pointers and B packed so that a step of k is one or two vectors.
//
// Each element of C is one chain of multiply-adds over k in order, so its bits do not depend on the tile it falls into or on which
// operand is called A. Long sums are cut at fixed places (see k_block) and the parts added in order: shorter chains round less.
#if defined(ATTNVIZ_OPS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNVIZ_OPS_TILE_INL_H_
#undef ATTNVIZ_OPS_TILE_INL_H_
#else
#define ATTNVIZ_OPS_TILE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using Vec = hn::Vec<F32>;

inline constexpr F32 kF32{};
inline constexpr std::size_t kLanes = HWY_LANES(float);
inline constexpr std::size_t kPanel = 2 * kLanes;  // columns of a packed panel

// Accumulators are kTileRows * 2 vectors; two more hold B and one A, so 32 registers carry 12 rows and 16 carry 6.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kTileRows = 12;
#else
inline constexpr std::size_t kTileRows = 6;
#endif
inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kRowStep = kTileRows / 3;  // tiles come in three heights

// The first n lanes from memory, zeros after them; n may exceed the vector.
HWY_INLINE Vec load_part(const float* from, std::size_t n) {
  if (n >= kLanes) return hn::LoadU(kF32, from);
  alignas(64) float lanes[kLanes] = {};
  std::memcpy(lanes, from, n * sizeof(float));
  return hn::Load(kF32, lanes);
}

HWY_INLINE void store_part(Vec value, float* to, std::size_t n) {
  if (n >= kLanes) {
    hn::StoreU(value, kF32, to);
    return;
  }
  alignas(64) float lanes[kLanes];
  hn::Store(value, kF32, lanes);
  std::memcpy(to, lanes, n * sizeof(float));
}

struct TileInput {
  const float* a[kTileRows];  // row r of A, n_k values; rows past the last repeat it
  const float* b;             // [n_k, >= kVectors * kLanes], row stride b_stride
  std::size_t b_stride;
  std::size_t n_k;
  const std::byte* ahead;  // memory that will be wanted next, one cache line a step of k
};

// Calls store(r, v, sum) for each of kRows rows and kVectors vectors of columns.
template <std::size_t kRows, std::size_t kVectors, bool kAhead, class Store>
HWY_INLINE void tile(const TileInput& in, const Store& store) {
  const float* a[kRows];
  Vec sum[kRows][kVectors];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r) {
    a[r] = in.a[r];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(kF32);
  }
  const float* b = in.b;
  for (std::size_t k = 0; k < in.n_k; ++k, b += in.b_stride) {
    if constexpr (kAhead) hwy::Prefetch(in.ahead + k * kCacheLine);
    Vec columns[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = hn::LoadU(kF32, b + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vec value = hn::Set(kF32, a[r][k]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, columns[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) store(r, v, sum[r][v]);
  }
}

template <std::size_t kVectors, bool kAhead, class Store>
HWY_INLINE void tile_of_height(std::size_t n_rows, const TileInput& in, const Store& store) {
  if (n_rows > 2 * kRowStep) {
    tile<3 * kRowStep, kVectors, kAhead>(in, store);
  } else if (n_rows > kRowStep) {
    tile<2 * kRowStep, kVectors, kAhead>(in, store);
  } else {
    tile<kRowStep, kVectors, kAhead>(in, store);
  }
}

// store() is also called for rows and columns past n_rows and n_columns, within the tile; it leaves them out.
template <bool kAhead = false, class Store>
HWY_INLINE void any_tile(std::size_t n_rows, std::size_t n_columns, const TileInput& in, const Store& store) {
  if (n_columns > kLanes) {
    tile_of_height<2, kAhead>(n_rows, in, store);
  } else {
    tile_of_height<1, kAhead>(n_rows, in, store);
  }
}

// Points the tile at n_rows rows of a matrix.
HWY_INLINE void set_rows(TileInput& in, const float* first, std::size_t stride, std::size_t n_rows) {
  for (std::size_t r = 0; r < kTileRows; ++r) in.a[r] = first + std::min(r, n_rows - 1) * stride;
}

#if HWY_TARGET == HWY_AVX3
inline constexpr std::size_t kAheadOfSquare = 96;  // floats; past the end of a row it is an address that is only hinted at

// A square of 16 x 16: pairs and fours within the blocks of 128 bits, then the blocks themselves.
HWY_INLINE void transpose_square(const float* from, std::size_t from_stride, float* to, std::size_t to_stride) {
  const hn::RepartitionToWide<F32> pairs;
  Vec part[4][4];  // [rows 4g ...][column c of each block]
#pragma GCC unroll 4
  for (std::size_t g = 0; g < 4; ++g) {
    const float* row = from + 4 * g * from_stride;
    for (std::size_t i = 0; i < 4; ++i) hwy::Prefetch(row + i * from_stride + kAheadOfSquare);
    const Vec a = hn::LoadU(kF32, row);
    const Vec b = hn::LoadU(kF32, row + from_stride);
    const Vec c = hn::LoadU(kF32, row + 2 * from_stride);
    const Vec d = hn::LoadU(kF32, row + 3 * from_stride);
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(kF32, a, b));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(kF32, a, b));
    const auto cd_low = hn::BitCast(pairs, hn::InterleaveLower(kF32, c, d));
    const auto cd_high = hn::BitCast(pairs, hn::InterleaveUpper(kF32, c, d));
    part[g][0] = hn::BitCast(kF32, hn::InterleaveLower(pairs, ab_low, cd_low));
    part[g][1] = hn::BitCast(kF32, hn::InterleaveUpper(pairs, ab_low, cd_low));
    part[g][2] = hn::BitCast(kF32, hn::InterleaveLower(pairs, ab_high, cd_high));
    part[g][3] = hn::BitCast(kF32, hn::InterleaveUpper(pairs, ab_high, cd_high));
  }
#pragma GCC unroll 4
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec even_01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(part[1][c]), part[0][c]);  // blocks 0, 0, 2, 2
    const Vec odd_01 = hn::OddEvenBlocks(part[1][c], hn::SwapAdjacentBlocks(part[0][c]));   // blocks 1, 1, 3, 3
    const Vec even_23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(part[3][c]), part[2][c]);
    const Vec odd_23 = hn::OddEvenBlocks(part[3][c], hn::SwapAdjacentBlocks(part[2][c]));
    hn::StoreU(hn::ConcatLowerLower(kF32, even_23, even_01), kF32, to + c * to_stride);
    hn::StoreU(hn::ConcatLowerLower(kF32, odd_23, odd_01), kF32, to + (4 + c) * to_stride);
    hn::StoreU(hn::ConcatUpperUpper(kF32, even_23, even_01), kF32, to + (8 + c) * to_stride);
    hn::StoreU(hn::ConcatUpperUpper(kF32, odd_23, odd_01), kF32, to + (12 + c) * to_stride);
  }
}
#endif

// Some rows of a matrix: [n_rows, n_columns], `stride` apart.
struct RowBlock {
  const float* first;
  std::size_t stride;
  std::size_t n_rows;
  std::size_t n_columns;
};

// to[c * to_stride + r] = block row r, column c.
inline void transpose(const RowBlock& block, float* to, std::size_t to_stride) {
  const auto [from, from_stride, n_rows, n_columns] = block;
  std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  std::size_t n_squares = 0;  // rows whose squares of 16 columns are done
#if HWY_TARGET == HWY_AVX3
  n_squares = n_rows / 16 * 16;
  for (std::size_t row = 0; row < n_squares; row += 16) {
    for (std::size_t c = 0; c + 16 <= n_columns; c += 16) {
      transpose_square(from + row * from_stride + c, from_stride, to + c * to_stride + row, to_stride);
    }
  }
#endif
  const hn::FixedTag<float, 4> quad;
  for (; r + 4 <= n_rows; r += 4) {
    const float* row = from + r * from_stride;
    std::size_t c = r < n_squares ? n_columns / 16 * 16 : 0;
    for (; c + 4 <= n_columns; c += 4) {
      const auto a = hn::LoadU(quad, row + c);
      const auto b = hn::LoadU(quad, row + from_stride + c);
      const auto e = hn::LoadU(quad, row + 2 * from_stride + c);
      const auto f = hn::LoadU(quad, row + 3 * from_stride + c);
      const auto ab_low = hn::InterleaveLower(quad, a, b);
      const auto ab_high = hn::InterleaveUpper(quad, a, b);
      const auto ef_low = hn::InterleaveLower(quad, e, f);
      const auto ef_high = hn::InterleaveUpper(quad, e, f);
      float* out = to + c * to_stride + r;
      hn::StoreU(hn::ConcatLowerLower(quad, ef_low, ab_low), quad, out);
      hn::StoreU(hn::ConcatUpperUpper(quad, ef_low, ab_low), quad, out + to_stride);
      hn::StoreU(hn::ConcatLowerLower(quad, ef_high, ab_high), quad, out + 2 * to_stride);
      hn::StoreU(hn::ConcatUpperUpper(quad, ef_high, ab_high), quad, out + 3 * to_stride);
    }
    for (; c < n_columns; ++c) {
      for (std::size_t i = 0; i < 4; ++i) to[c * to_stride + r + i] = row[i * from_stride + c];
    }
  }
#endif
  for (; r < n_rows; ++r) {
    for (std::size_t c = 0; c < n_columns; ++c) to[c * to_stride + r] = from[r * from_stride + c];
  }
}

// Packs at most kPanel rows as one panel [n_columns, width], with zeros in the columns past the rows.
inline void pack_panel(const RowBlock& block, float* to, std::size_t width) {
  transpose(block, to, width);
  if (block.n_rows == width) return;
  for (std::size_t c = 0; c < block.n_columns; ++c) std::fill(to + c * width + block.n_rows, to + (c + 1) * width, 0.0F);
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
