// Between the stacks and the taps of a run: rows of all texts end to end become blocks of one text, and finished rows of attention
// become blocks of a layer and site. Operations know neither layers nor taps. Tested in tests/unit/model/model_test.cpp.
#pragma once

#include <attnviz/request.h>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "model/run/bound_ops.h"
#include "model/run/run_plan.h"
#include "ops/attention.h"

namespace attnviz {

// Whose rows are shown.
struct TapPlace {
  TapKind kind;
  Site site;
  std::size_t layer;
  std::size_t head = 0;
};

class RunTaps {
 public:
  // `offsets` [B + 1]; the first row of every text is at position n_past.
  RunTaps(std::span<Tap* const> taps, std::span<const std::size_t> offsets, std::size_t n_past)
      : taps_(taps), offsets_(offsets), n_past_(n_past) {}

  bool wants(TapKind kind) const { return any_wants(taps_, kind); }
  std::span<Tap* const> taps() const { return taps_; }

  // rows [sum T, n_columns], or only those of the positions `queries`.
  void show(const TapPlace& place, HeadRows<const float> rows, std::size_t n_columns,
            const std::optional<QueryRows>& queries = {}) const;

  // A block of one text.
  void show_block(const TapBlock& block) const;

  std::span<const std::size_t> offsets() const { return offsets_; }
  std::size_t n_past() const { return n_past_; }

 private:
  std::span<Tap* const> taps_;
  std::span<const std::size_t> offsets_;
  std::size_t n_past_;
};

// Hands rows of attention to the taps: scores and pattern as they come, and the pattern times the length of what each key gives
// (TapKind::kPairNorm).
class AttentionTaps final : public AttentionSink {
 public:
  AttentionTaps(const RunTaps& taps, const AttentionPlan& plan, std::size_t layer);

  // lengths[i] [sum Tk]: |v W_O[h]| of every key row for the request's head i; `key_offsets` [B + 1] are theirs.
  void set_key_lengths(std::vector<std::vector<float>> lengths, std::span<const std::size_t> key_offsets);

  bool wants(AttentionStage stage, std::size_t head) const override;
  void take(const AttentionBlock& block) override;

 private:
  std::size_t place_of(std::size_t head) const;  // among the request's heads; their number where it is not one of them

  const RunTaps& taps_;
  const AttentionPlan& plan_;
  std::size_t layer_;
  bool wants_scores_ = false;
  bool wants_pattern_ = false;
  bool wants_pairs_ = false;
  std::vector<std::vector<float>> lengths_;
  std::span<const std::size_t> key_offsets_;
};

// The heads' parts of an output projection: z W_O[h] [rows, D], a few rows at a time, or only its length.
class HeadOutputs {
 public:
  HeadOutputs(ThreadPool& pool, const TensorSet& set, TensorRole output, std::size_t d_head);

  // Lengths [n_rows] of x W_O[head] for rows x [n_rows, K].
  std::vector<float> lengths(std::size_t head, HeadRows<const float> x, std::size_t n_rows);

  // Shows what taps want of kHeadOut and kHeadOutNorm for one head's rows z [sum T, K].
  void show(const RunTaps& taps, const TapPlace& place, HeadRows<const float> z, const std::optional<QueryRows>& queries);

 private:
  // y [n_rows, D]
  const float* multiply(std::size_t head, HeadRows<const float> x, std::size_t n_rows);

  ThreadPool& pool_;
  const TensorSet& set_;
  TensorRole output_;
  std::size_t d_head_;
  std::size_t d_model_;
  std::size_t head_ = static_cast<std::size_t>(-1);  // whose weights_ these are
  std::vector<float> weights_;                       // [D, K]
  std::vector<float> rows_;                          // [block, D]
};

}  // namespace attnviz
