// See disentangled.h.
#include "ops/disentangled.h"

#include <algorithm>

#include "ops/simd_targets.h"

#include "ops/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/disentangled.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/tile-inl.h"

#ifndef ATTNVIZ_OPS_DISENTANGLED_SHARED_
#define ATTNVIZ_OPS_DISENTANGLED_SHARED_
namespace attnviz {

// What a thread keeps: the packed positions of its head, and the products of the sequence's keys with them.
struct DisentangledTerm::ThreadState {
  Scratch packed_keys, packed_queries;  // panels [K, kPanel] of positions
  Scratch query_products;               // [block, P]
  Scratch key_products;                 // [Tk, P]
  float* keys = nullptr;
  float* queries = nullptr;
  float* with_keys = nullptr;
  std::size_t head_place = static_cast<std::size_t>(-1);
  std::size_t sequence = static_cast<std::size_t>(-1);
};

struct TermCall {
  const DisentangledArgs* term;
  const AttentionArgs* attention;
  const ScoreBlock* block;
  DisentangledTerm::ThreadState* state;
};

}  // namespace attnviz
#endif

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kKeyStep = 16;  // keys whose rows of products stay in the nearest cache while the queries pass

inline std::size_t whole_panels(std::size_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

struct StoreProduct {
  float* to;
  std::size_t stride;
  std::size_t n_rows;

  HWY_INLINE void operator()(std::size_t r, std::size_t v, Vec sum) const {
    if (r < n_rows) hn::StoreU(sum, kF32, to + r * stride + v * kLanes);
  }
};

float* pack_positions(const float* positions, std::size_t stride, std::size_t n, std::size_t d_head, Scratch& scratch) {
  float* packed = scratch.reserve(whole_panels(n) * d_head);
  for (std::size_t p = 0; p < n; p += kPanel) {
    pack_panel({positions + p * stride, stride, std::min(kPanel, n - p), d_head}, packed + p * d_head, kPanel);
  }
  return packed;
}

struct Rows {
  const float* x;  // [n, K], row stride `stride`
  std::size_t stride;
  std::size_t n;
};

// to [rows.n, P] = x positions^T, with the positions packed [P, K]; rows of `to` are whole panels apart.
void multiply(const Rows& rows, std::size_t d_head, const float* packed, std::size_t n_positions, float* to) {
  TileInput in{};
  in.b_stride = kPanel;
  in.n_k = d_head;
  const std::size_t stride = whole_panels(n_positions);
  for (std::size_t p = 0; p < n_positions; p += kPanel) {
    in.b = packed + p * d_head;
    for (std::size_t row = 0; row < rows.n; row += kTileRows) {
      const std::size_t n_tile = std::min(kTileRows, rows.n - row);
      set_rows(in, rows.x + row * rows.stride, rows.stride, n_tile);
      any_tile(n_tile, kPanel, in, StoreProduct{to + row * stride + p, stride, n_tile});
    }
  }
}

void prepare(const TermCall& call, std::size_t n_keys) {
  const DisentangledArgs& term = *call.term;
  const AttentionArgs& attention = *call.attention;
  DisentangledTerm::ThreadState& state = *call.state;
  const std::size_t d_head = attention.spec->d_head;
  const ScoreBlock& block = *call.block;
  const bool same_head = state.head_place == block.head_place;
  const std::size_t column = block.head_place * d_head;
  if (!same_head && term.position_keys != nullptr) {
    state.keys = pack_positions(term.position_keys + column, term.stride, term.n_positions, d_head, state.packed_keys);
  }
  if (!same_head && term.position_queries != nullptr) {
    state.queries = pack_positions(term.position_queries + column, term.stride, term.n_positions, d_head, state.packed_queries);
  }
  if (term.position_queries != nullptr && !(same_head && state.sequence == block.sequence)) {
    state.with_keys = state.key_products.reserve(n_keys * whole_panels(term.n_positions));
    const float* k = attention.k.data + attention.rows.offsets[block.sequence] * attention.k.stride + block.kv_place * d_head;
    multiply({k, attention.k.stride, n_keys}, d_head, state.queries, term.n_positions, state.with_keys);
  }
  state.head_place = block.head_place;
  state.sequence = block.sequence;
}

// scores[r][key] += scale * (of_query[r][b] + of_key[key][b]) for some keys, b by the distance.
void pick(const TermCall& call, const float* of_query, const float* of_key, std::size_t key_begin, std::size_t key_end) {
  const DisentangledArgs& term = *call.term;
  const ScoreBlock& block = *call.block;
  const std::size_t stride = whole_panels(term.n_positions);
  for (std::size_t r = 0; r < block.n_queries; ++r) {
    float* scores = block.rows + r * block.row_stride;
    const std::int32_t* row_of = term.rows.data() + block.query_begin + r + term.n_distance - 1;
    for (std::size_t key = key_begin; key < key_end; ++key) {
      const auto b = static_cast<std::size_t>(*(row_of - key));
      float sum = 0;
      if (of_query != nullptr) sum += of_query[r * stride + b];
      if (of_key != nullptr) sum += of_key[key * stride + b];
      scores[key] += term.scale * sum;
    }
  }
}

void add_positions(const TermCall& call) {
  const DisentangledArgs& term = *call.term;
  const AttentionArgs& attention = *call.attention;
  const ScoreBlock& block = *call.block;
  const std::size_t d_head = attention.spec->d_head;
  const std::size_t first = attention.rows.offsets[block.sequence];
  prepare(call, attention.rows.offsets[block.sequence + 1] - first);
  float* of_query = nullptr;
  if (term.position_keys != nullptr) {
    of_query = call.state->query_products.reserve(block.n_queries * whole_panels(term.n_positions));
    const float* q = attention.q.data + (first + block.query_begin) * attention.q.stride + block.head_place * d_head;
    multiply({q, attention.q.stride, block.n_queries}, d_head, call.state->keys, term.n_positions, of_query);
  }
  const float* of_key = term.position_queries != nullptr ? call.state->with_keys : nullptr;
  for (std::size_t key = block.key_begin; key < block.key_end; key += kKeyStep) {
    pick(call, of_query, of_key, key, std::min(key + kKeyStep, block.key_end));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(add_positions);

}  // namespace

DisentangledTerm::DisentangledTerm(const DisentangledArgs& args, std::size_t n_threads)
    : args_(args), states_(std::make_unique<ThreadState[]>(n_threads)) {}

DisentangledTerm::~DisentangledTerm() = default;

void DisentangledTerm::add(const AttentionArgs& attention, const ScoreBlock& block) const {
  HWY_DYNAMIC_DISPATCH(add_positions)({&args_, &attention, &block, &states_[block.thread]});
}

}  // namespace attnviz
#endif  // HWY_ONCE
