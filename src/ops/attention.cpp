// See attention.h. A task is a block of query rows of one head; a thread keeps the packed keys and values of the head it works on.
#include "ops/attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/simd_targets.h"

#include "ops/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/vector_math-inl.h"

#ifndef ATTNVIZ_OPS_ATTENTION_SHARED_
#define ATTNVIZ_OPS_ATTENTION_SHARED_
namespace attnviz {

inline constexpr std::size_t kQueryBlock = 48;  // rows of a task: whole tiles of 12 and of 6
inline constexpr std::size_t kKeyBlock = 256;   // keys of one sum in pattern * v, cut at multiples of this
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Half-open range of keys; the keys a query may see are always one.
struct KeyRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin >= end; }
};

inline KeyRange visible_keys(const MaskRule& mask, std::size_t query_pos, std::size_t n_keys) {
  KeyRange range{0, n_keys};
  if (mask.window) {
    if (*mask.window == 0) return {0, 0};
    range.begin = query_pos >= *mask.window ? query_pos - *mask.window + 1 : 0;
    range.end = *mask.window < n_keys - query_pos ? query_pos + *mask.window : n_keys;
  }
  if (mask.causal) range.end = std::min(range.end, query_pos + 1);
  return range;
}

inline std::span<const std::size_t> key_offsets(const AttentionRows& rows) {
  return rows.key_offsets.empty() ? rows.offsets : rows.key_offsets;
}

struct AttentionTask {
  std::size_t sequence;
  std::size_t head_place;   // in args.heads
  std::size_t query_begin;  // row in the sequence's part of q
  std::size_t n_queries;
  std::size_t thread;
};

// What a thread keeps from task to task within one call.
struct PackedHead {
  std::size_t sequence = kNone;
  std::size_t kv_place = kNone;
  KeyRange keys{};  // whole panels, or up to the last key
};

}  // namespace attnviz
#endif

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

inline std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Everything about one task, pointers to its first row or key included.
struct Block {
  const AttentionArgs* args;
  AttentionTask task;
  std::size_t head;
  std::size_t kv_place;
  std::size_t query_pos;  // of the first row
  std::size_t n_keys;
  std::size_t d_head;
  KeyRange seen;           // by any row of the block
  float* packed_k;         // panels [d_head, kPanel] of keys
  float* packed_v;         // [n_keys, v_stride]
  std::size_t v_stride;    // d_head rounded up to whole vectors
  float* rows;             // scores, then pattern [n_queries, row_stride]
  std::size_t row_stride;  // n_keys rounded up, and one cache line more: rows a power of two apart would share cache sets
};

struct ThreadBuffers {
  Scratch packed_k, packed_v, rows;
};

ThreadBuffers& thread_buffers() {
  thread_local ThreadBuffers buffers;
  return buffers;
}

Block make_block(const AttentionArgs& args, const AttentionTask& task) {
  const AttentionSpec& spec = *args.spec;
  Block block{};
  block.args = &args;
  block.task = task;
  block.head = args.heads[task.head_place];
  const std::size_t kv_head = block.head / (spec.n_head / spec.n_kv_head);
  block.kv_place =
      static_cast<std::size_t>(std::lower_bound(args.kv_heads.begin(), args.kv_heads.end(), kv_head) - args.kv_heads.begin());
  block.query_pos = args.rows.n_past + task.query_begin;
  block.n_keys = key_offsets(args.rows)[task.sequence + 1] - key_offsets(args.rows)[task.sequence];
  block.d_head = spec.d_head;
  block.seen.begin = visible_keys(spec.mask, block.query_pos, block.n_keys).begin;
  block.seen.end = visible_keys(spec.mask, block.query_pos + task.n_queries - 1, block.n_keys).end;
  block.v_stride = round_up(block.d_head, kLanes);
  block.row_stride = round_up(block.n_keys, kPanel) + 16;
  ThreadBuffers& buffers = thread_buffers();
  block.packed_k = buffers.packed_k.reserve(round_up(block.n_keys, kPanel) * block.d_head);
  block.packed_v = args.v.data != nullptr ? buffers.packed_v.reserve(block.n_keys * block.v_stride) : nullptr;
  block.rows = buffers.rows.reserve(kQueryBlock * block.row_stride);
  return block;
}

void pack_keys(const Block& block, KeyRange keys) {
  const AttentionArgs& args = *block.args;
  const std::size_t first = key_offsets(args.rows)[block.task.sequence];
  const std::size_t column = block.kv_place * block.d_head;
  for (std::size_t key = keys.begin; key < keys.end; key += kPanel) {
    const float* rows = args.k.data + (first + key) * args.k.stride + column;
    pack_panel({rows, args.k.stride, std::min(kPanel, block.n_keys - key), block.d_head}, block.packed_k + key * block.d_head,
               kPanel);
  }
  for (std::size_t key = keys.begin; args.v.data != nullptr && key < keys.end; ++key) {
    const float* from = args.v.data + (first + key) * args.v.stride + column;
    float* to = block.packed_v + key * block.v_stride;
    std::fill(std::copy(from, from + block.d_head, to), to + block.v_stride, 0.0F);
  }
}

// Every key has its place in the buffers; only those that the block sees are put there, and what earlier tasks put there stays. So
// a window costs its keys, not the text's.
void pack_head(const Block& block, PackedHead& packed) {
  if (block.seen.empty()) return;
  const KeyRange wanted{block.seen.begin / kPanel * kPanel, std::min(round_up(block.seen.end, kPanel), block.n_keys)};
  const bool same_head = packed.sequence == block.task.sequence && packed.kv_place == block.kv_place;
  const bool goes_on = same_head && packed.keys.begin <= wanted.begin && wanted.begin <= packed.keys.end;
  if (!goes_on) packed = {block.task.sequence, block.kv_place, {wanted.begin, wanted.begin}};
  if (wanted.end <= packed.keys.end) return;
  pack_keys(block, {packed.keys.end, wanted.end});
  packed.keys.end = wanted.end;
}

struct StoreScores {
  float* to;
  std::size_t stride;
  std::size_t n_rows;
  std::size_t n_columns;
  Vec scale;

  HWY_INLINE void operator()(std::size_t r, std::size_t v, Vec sum) const {
    if (r >= n_rows || v * kLanes >= n_columns) return;
    hn::StoreU(hn::Mul(sum, scale), kF32, to + r * stride + v * kLanes);
  }
};

// rows = scale * q k^T for the panels with a visible key; columns past n_keys hold zeros or leftovers.
void make_scores(const Block& block) {
  const AttentionArgs& args = *block.args;
  const Vec scale = hn::Set(kF32, args.spec->scale);
  const std::size_t first = args.rows.offsets[block.task.sequence] + block.task.query_begin;
  const float* q = args.q.data + first * args.q.stride + block.task.head_place * block.d_head;
  TileInput in{};
  in.b_stride = kPanel;
  in.n_k = block.d_head;
  for (std::size_t key = block.seen.begin / kPanel * kPanel; key < block.seen.end; key += kPanel) {
    in.b = block.packed_k + key * block.d_head;
    for (std::size_t row = 0; row < block.task.n_queries; row += kTileRows) {
      const std::size_t n_rows = std::min(kTileRows, block.task.n_queries - row);
      const std::size_t n_columns = std::min(kPanel, block.n_keys - key);
      set_rows(in, q + row * args.q.stride, args.q.stride, n_rows);
      any_tile(n_rows, n_columns, in,
               StoreScores{block.rows + row * block.row_stride + key, block.row_stride, n_rows, n_columns, scale});
    }
  }
}

void add_distance_bias(const Block& block, std::size_t query_pos, KeyRange range, float* row) {
  const AttentionArgs& args = *block.args;
  const std::size_t n_distance = args.terms.n_distance;
  const float* bias = args.terms.distance_bias + block.head * (2 * n_distance - 1) + n_distance - 1 - query_pos;
  for (std::size_t key = range.begin; key < range.end; key += kLanes) {
    const std::size_t n = range.end - key;
    store_part(hn::Add(load_part(row + key, n), load_part(bias + key, n)), row + key, n);
  }
}

// row = cap * tanh(row / cap) over the range
void cap_scores(float cap, KeyRange range, float* row) {
  const Vec limit = hn::Set(kF32, cap);
  const Vec inverse = hn::Set(kF32, 1.0F / cap);
  for (std::size_t key = range.begin; key < range.end; key += kLanes) {
    const std::size_t n = range.end - key;
    store_part(hn::Mul(limit, tanh_vector(hn::Mul(load_part(row + key, n), inverse))), row + key, n);
  }
}

// The largest of row[begin, end), whole vectors, in every lane.
HWY_INLINE Vec largest_of(const float* row, std::size_t begin, std::size_t end) {
  Vec maxima[4];  // each waits for its own last step only
  for (Vec& lanes : maxima) lanes = hn::Load(kF32, row + begin);
  std::size_t i = begin;
  for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
    for (std::size_t j = 0; j < 4; ++j) maxima[j] = hn::Max(maxima[j], hn::Load(kF32, row + i + j * kLanes));
  }
  for (; i < end; i += kLanes) maxima[0] = hn::Max(maxima[0], hn::Load(kF32, row + i));
  return hn::MaxOfLanes(kF32, hn::Max(hn::Max(maxima[0], maxima[1]), hn::Max(maxima[2], maxima[3])));
}

// Softmax of row[range], in place. The sum and the vectors are laid on multiples of the vector, whatever the range.
void softmax(float* row, KeyRange range) {
  const std::size_t begin = range.begin / kLanes * kLanes;
  const std::size_t end = round_up(range.end, kLanes);
  std::fill(row + begin, row + range.begin, -std::numeric_limits<float>::infinity());
  std::fill(row + range.end, row + end, -std::numeric_limits<float>::infinity());
  const Vec largest = largest_of(row, begin, end);
  if (hn::GetLane(largest) == -std::numeric_limits<float>::infinity()) {
    std::fill(row + begin, row + end, 0.0F);
    return;
  }
  LongSum sum;
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Vec value = exp_vector(hn::Sub(hn::Load(kF32, row + i), largest));
    hn::Store(value, kF32, row + i);
    sum.add(value);
  }
  const Vec factor = hn::Set(kF32, static_cast<float>(1.0 / sum.total()));
  for (std::size_t i = begin; i < end; i += kLanes) hn::Store(hn::Mul(hn::Load(kF32, row + i), factor), kF32, row + i);
}

// Sets row[0, n_keys) outside of the range.
void fill_outside(float* row, std::size_t n_keys, KeyRange range, float value) {
  if (range.empty()) range = {n_keys, n_keys};
  std::fill(row, row + range.begin, value);
  std::fill(row + range.end, row + n_keys, value);
}

struct AddContext {
  float* to;
  std::size_t stride;
  std::size_t n_rows;
  std::size_t n_columns;
  bool is_first;

  HWY_INLINE void operator()(std::size_t r, std::size_t v, Vec sum) const {
    if (r >= n_rows || v * kLanes >= n_columns) return;
    const std::size_t n = n_columns - v * kLanes;
    float* place = to + r * stride + v * kLanes;
    store_part(is_first ? sum : hn::Add(load_part(place, n), sum), place, n);
  }
};

// z = pattern * v over the keys that any row of the block sees.
void make_context(const Block& block, float* z) {
  const AttentionArgs& args = *block.args;
  TileInput in{};
  in.b_stride = block.v_stride;
  for (std::size_t row = 0; row < block.task.n_queries; row += kTileRows) {
    const std::size_t n_rows = std::min(kTileRows, block.task.n_queries - row);
    for (std::size_t column = 0; column < block.d_head; column += kPanel) {
      const std::size_t n_columns = std::min(kPanel, block.d_head - column);
      bool is_first = true;
      for (std::size_t key = block.seen.begin; key < block.seen.end; key += in.n_k) {
        in.n_k = std::min(block.seen.end, (key / kKeyBlock + 1) * kKeyBlock) - key;
        in.b = block.packed_v + key * block.v_stride + column;
        set_rows(in, block.rows + row * block.row_stride + key, block.row_stride, n_rows);
        any_tile(n_rows, n_columns, in, AddContext{z + row * args.z.stride + column, args.z.stride, n_rows, n_columns, is_first});
        is_first = false;
      }
    }
  }
}

void show(const Block& block, AttentionStage stage) {
  const AttentionTask& task = block.task;
  block.args->sink->take(
      {stage, task.sequence, block.head, block.query_pos, task.n_queries, block.n_keys, block.rows, block.row_stride});
}

void apply(const ScoreTerm& term, const Block& block) {
  const AttentionTask& task = block.task;
  term.add(*block.args, {task.sequence, task.head_place, block.kv_place, task.thread, task.query_begin, task.n_queries,
                         block.seen.begin, block.seen.end, block.rows, block.row_stride});
}

// Scores to pattern, row by row.
void make_pattern(const Block& block, bool show_scores, bool show_pattern) {
  const AttentionArgs& args = *block.args;
  std::vector<KeyRange> ranges(block.task.n_queries);
  for (std::size_t r = 0; r < block.task.n_queries; ++r) {
    const std::size_t query_pos = block.query_pos + r;
    ranges[r] = visible_keys(args.spec->mask, query_pos, block.n_keys);
    float* row = block.rows + r * block.row_stride;
    if (args.spec->softcap > 0) cap_scores(args.spec->softcap, ranges[r], row);
    if (args.terms.distance_bias != nullptr) add_distance_bias(block, query_pos, ranges[r], row);
    if (show_scores) fill_outside(row, block.n_keys, ranges[r], -std::numeric_limits<float>::infinity());
  }
  if (args.terms.cuts != nullptr) apply(*args.terms.cuts, block);
  if (show_scores) show(block, AttentionStage::kScores);
  for (std::size_t r = 0; r < block.task.n_queries; ++r) {
    float* row = block.rows + r * block.row_stride;
    if (!ranges[r].empty()) softmax(row, ranges[r]);
    const KeyRange read = show_pattern ? KeyRange{0, block.n_keys} : block.seen;
    if (read.empty()) continue;
    const KeyRange inside = ranges[r].empty() ? KeyRange{read.end, read.end} : ranges[r];
    std::fill(row + read.begin, row + inside.begin, 0.0F);
    std::fill(row + inside.end, row + read.end, 0.0F);
  }
}

void attend(const AttentionArgs& args, const AttentionTask& task, PackedHead& packed) {
  const Block block = make_block(args, task);
  const auto wants = [&](AttentionStage stage) { return args.sink != nullptr && args.sink->wants(stage, block.head); };
  pack_head(block, packed);
  // Pass 1: scores = scale * q k^T, and what depends on the content of both.
  make_scores(block);
  if (args.terms.term != nullptr) apply(*args.terms.term, block);
  // Pass 2: cap, bias, mask, cuts; then softmax in place.
  const bool show_pattern = wants(AttentionStage::kPattern);
  make_pattern(block, wants(AttentionStage::kScores), show_pattern);
  if (show_pattern) show(block, AttentionStage::kPattern);
  // Pass 3: z = pattern * v.
  if (args.v.data == nullptr) return;
  const std::size_t first = args.rows.offsets[task.sequence] + task.query_begin;
  float* z = args.z.data + first * args.z.stride + task.head_place * block.d_head;
  if (!block.seen.empty()) return make_context(block, z);
  for (std::size_t r = 0; r < task.n_queries; ++r) std::fill_n(z + r * args.z.stride, block.d_head, 0.0F);
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(attend);

}  // namespace

void attention(ThreadPool& pool, const AttentionArgs& args) {
  const AttentionRows& texts = args.rows;
  const auto queries_of = [&](std::size_t sequence) {  // rows of q in the sequence's part
    const std::size_t n_rows = texts.offsets[sequence + 1] - texts.offsets[sequence];
    if (!texts.queries) return QueryRange{0, n_rows};
    const std::size_t begin = texts.queries->begin > texts.n_past ? texts.queries->begin - texts.n_past : 0;
    const std::size_t end = texts.queries->end > texts.n_past ? texts.queries->end - texts.n_past : 0;
    return QueryRange{std::min(begin, n_rows), std::min(std::max(begin, end), n_rows)};
  };
  // Task numbers run over sequences, then heads, then blocks, so that neighbours share packed keys and values.
  std::vector<std::size_t> first_task{0};
  for (std::size_t sequence = 0; sequence + 1 < texts.offsets.size(); ++sequence) {
    const QueryRange rows = queries_of(sequence);
    first_task.push_back(first_task.back() + args.heads.size() * ((rows.end - rows.begin + kQueryBlock - 1) / kQueryBlock));
  }
  std::vector<PackedHead> packed(pool.n_threads());
  pool.run(first_task.back(), [&](std::size_t index, std::size_t thread) {
    const auto sequence =
        static_cast<std::size_t>(std::upper_bound(first_task.begin(), first_task.end(), index) - first_task.begin() - 1);
    const std::size_t n_blocks = (first_task[sequence + 1] - first_task[sequence]) / args.heads.size();
    const std::size_t place = index - first_task[sequence];
    const QueryRange rows = queries_of(sequence);
    const std::size_t query_begin = rows.begin + place % n_blocks * kQueryBlock;
    const AttentionTask task{sequence, place / n_blocks, query_begin, std::min(kQueryBlock, rows.end - query_begin), thread};
    HWY_DYNAMIC_DISPATCH(attend)(args, task, packed[thread]);
  });
}

}  // namespace attnviz
#endif  // HWY_ONCE
