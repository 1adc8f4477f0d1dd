// The position terms of disentangled attention (He et al. 2021, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention"):
//   score(query, key) += scale * (q . position_key[b] + k . position_query[b]),   b = rows[query - key]
// The first term is content to position, the second position to content; either may be absent. For a block of queries both products
// with all positions are made at once and the cells picked from them, so a thread holds O((block + Tk) * P) floats.
// Tested in tests/unit/ops/disentangled_test.cpp against a naive version, and in tests/parity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/attention.h"

namespace attnviz {

struct DisentangledArgs {
  float scale = 0;
  std::size_t n_positions = 0;              // P
  const float* position_keys = nullptr;     // [P, heads * K], column block i belongs to AttentionArgs::heads[i]; null: no such term
  const float* position_queries = nullptr;  // the same
  std::size_t stride = 0;                   // of both

  // The row, below P, of every distance query - key: rows[query - key + n_distance - 1]. n_distance is at least the longest
  // sequence.
  std::span<const std::int32_t> rows;  // [2 * n_distance - 1]
  std::size_t n_distance = 0;
};

// Serves one attention() call: a thread keeps products of the head it works on.
class DisentangledTerm : public ScoreTerm {
 public:
  DisentangledTerm(const DisentangledArgs& args, std::size_t n_threads);
  ~DisentangledTerm() override;

  void add(const AttentionArgs& attention, const ScoreBlock& block) const override;

  struct ThreadState;

 private:
  DisentangledArgs args_;
  std::unique_ptr<ThreadState[]> states_;
};

}  // namespace attnviz
