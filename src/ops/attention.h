// Multi-head attention over a ragged batch: pattern = softmax(cap(scale * q.k + term) + bias + mask + cuts), z = pattern * v,
// cap(s) = softcap * tanh(s / softcap) where the spec asks for it.
//
// Vaswani et al. 2017, with grouped key/value heads (Ainslie et al. 2023). Works on blocks of query rows, so memory is
// O(block * Tk) for each thread however long the text. Masked scores are minus infinity; a row with nothing to attend to is all
// zeros. Queries and keys may be of one text (self-attention) or of two (cross-attention): then the keys have offsets of their own.
// Tested in tests/unit/ops/attention_test.cpp and tests/property against a naive version.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/thread_pool.h"

namespace attnviz {

struct AttentionArgs;

// Rows of several heads side by side: in each row, K values for every head of a list, in the list's order.
template <class Float>
struct HeadRows {
  Float* data = nullptr;   // [rows, heads * K]
  std::size_t stride = 0;  // from one row to the next
};

// A block of one head's scores while they are made.
struct ScoreBlock {
  std::size_t sequence = 0;
  std::size_t head_place = 0;   // in AttentionArgs::heads
  std::size_t kv_place = 0;     // in AttentionArgs::kv_heads
  std::size_t thread = 0;       // of the pool; one block at a time
  std::size_t query_begin = 0;  // row of q in its sequence
  std::size_t n_queries = 0;
  std::size_t key_begin = 0;  // keys that any of the queries sees
  std::size_t key_end = 0;
  float* rows = nullptr;  // [n_queries, Tk], row stride row_stride
  std::size_t row_stride = 0;
};

// Changes scores in a way that depends on more than the distance: ops/disentangled.h, cut pairs in model/run/run_edits.h.
class ScoreTerm {
 public:
  virtual ~ScoreTerm() = default;
  virtual void add(const AttentionArgs& args, const ScoreBlock& block) const = 0;
};

enum class AttentionStage : std::uint8_t { kScores, kPattern };

// Finished rows of one head. Valid during the call only.
struct AttentionBlock {
  AttentionStage stage;
  std::size_t sequence;
  std::size_t head;         // its own number
  std::size_t query_begin;  // position of the first row in its text
  std::size_t n_queries;
  std::size_t n_keys;   // Tk
  const float* values;  // [n_queries, Tk], row stride row_stride
  std::size_t row_stride;
};

// Sees rows as they are finished; called from several threads at once, for different blocks.
class AttentionSink {
 public:
  virtual ~AttentionSink() = default;
  virtual bool wants(AttentionStage stage, std::size_t head) const = 0;
  virtual void take(const AttentionBlock& block) = 0;
};

// Queries by position in their text, [begin, end).
struct QueryRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Which rows belong to which text.
struct AttentionRows {
  std::span<const std::size_t> offsets;  // [B + 1] rows of each text in q and z, and in k and v where key_offsets is empty

  // Rows of each text in k and v where they are not those of q: another text's, or those of a text that goes on from a cache.
  std::span<const std::size_t> key_offsets{};  // [B + 1] or empty
  std::size_t n_past = 0;                      // position of a text's first query

  // Only these queries are computed and seen by the sink. Unset: all.
  std::optional<QueryRange> queries{};
};

// What is added to scale * q.k, in the order of the members; each may be absent.
struct ScoreTerms {
  const ScoreTerm* term = nullptr;  // before the soft cap

  // Learned bias on the distance, after the cap: for query head h (its own number, not its place in `heads`) the score of
  // (query, key) gets distance_bias[h * (2 * n_distance - 1) + key - query + n_distance - 1].
  const float* distance_bias = nullptr;  // [H, 2 * n_distance - 1]
  std::size_t n_distance = 0;            // at least the longest text

  const ScoreTerm* cuts = nullptr;  // last: sets scores of pairs that may not attend to minus infinity
};

struct AttentionArgs {
  const AttentionSpec* spec = nullptr;
  AttentionRows rows;
  std::span<const std::size_t> heads;     // query heads to compute: those of q and z
  std::span<const std::size_t> kv_heads;  // sorted: those of k and v; holds every head / (H/G) needed
  HeadRows<const float> q;                // [sum Tq, heads * K]
  HeadRows<const float> k;                // [sum Tk, kv_heads * K]
  HeadRows<const float> v;                // like k; null: only scores and pattern are made
  HeadRows<float> z;                      // [sum Tq, heads * K]; null where v is
  ScoreTerms terms;
  AttentionSink* sink = nullptr;
};

void attention(ThreadPool& pool, const AttentionArgs& args);

}  // namespace attnviz
