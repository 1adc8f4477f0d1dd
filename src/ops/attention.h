// Multi-head attention over a ragged batch: pattern = softmax(cap(scale * q.k) + bias + mask), z = pattern * v,
// cap(s) = softcap * tanh(s / softcap) where the spec asks for it.
//
// Vaswani et al. 2017, with grouped key/value heads (Ainslie et al. 2023). Works on blocks of query rows, so memory is
// O(block * Tk) for each thread however long the text. Masked scores are minus infinity; a row with nothing to attend to is all
// zeros. Tested in tests/unit/ops/attention_test.cpp and tests/property against a naive version.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>

#include "base/thread_pool.h"

#include <cstddef>
#include <optional>
#include <span>

namespace attnviz {

struct AttentionArgs;

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

// Adds something to scores that depends on more than the distance (ops/disentangled.h).
class ScoreTerm {
 public:
  virtual ~ScoreTerm() = default;
  virtual void add(const AttentionArgs& args, const ScoreBlock& block) const = 0;
};

struct AttentionArgs {
  const AttentionSpec* spec = nullptr;
  std::size_t layer = 0;
  std::span<const std::size_t> offsets;  // [B + 1] rows of each sequence in q and z, and in k and v where key_offsets is empty

  // Where a text goes on: its first query stands at position n_past, and its rows of k and v begin at key_offsets[b].
  std::span<const std::size_t> key_offsets{};  // [B + 1] or empty
  std::size_t n_past = 0;

  // Queries by position in their text; others are not computed, and no tap sees them. Unset: all.
  std::optional<QueryRows> query_rows{};

  std::span<const std::size_t> heads;  // query heads to compute; column block i of q belongs to heads[i]
  const float* q = nullptr;            // [sum T, heads.size() * K]
  std::size_t q_stride = 0;
  std::span<const std::size_t>
      kv_heads;              // sorted; column block j of k and v belongs to kv_heads[j]; holds every head / (H/G) needed
  const float* k = nullptr;  // [sum T, kv_heads.size() * K]
  std::size_t k_stride = 0;
  const float* v = nullptr;  // like k; null: only scores and pattern are made
  std::size_t v_stride = 0;
  float* z = nullptr;  // [sum T, heads.size() * K], null where v is
  std::size_t z_stride = 0;

  // Learned bias on the distance: for query head h (its own number, not its place in `heads`) the score of (query, key) gets
  // distance_bias[h * (2 * n_distance - 1) + key - query + n_distance - 1]. n_distance is at least the longest sequence. Null:
  // none.
  const float* distance_bias = nullptr;  // [H, 2 * n_distance - 1]
  std::size_t n_distance = 0;

  const ScoreTerm* term = nullptr;  // added to scale * q.k before cap and mask; null: none

  // Scores, pattern and context blocks of `tapped_heads` (a subset of `heads`) go to the taps that want them.
  std::span<const std::size_t> tapped_heads;
  std::span<Tap* const> taps;
};

void attention(ThreadPool& pool, const AttentionArgs& args);

}  // namespace attnviz
