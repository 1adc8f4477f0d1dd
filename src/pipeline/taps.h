// The taps that keep maps: whole ones, spans of rows and columns, or tiles (pool.h). They take no more memory than what they keep.
// Tested in tests/unit/pipeline/taps_test.cpp.
#pragma once

#include <attnviz/request.h>
#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "trace/pool.h"
#include "trace/spans.h"

namespace attnviz {

// Which of the request's maps a block is of, counted by layer, then head.
std::size_t map_place(const Request& request, const TapBlock& block);

// Every row of a map that is not pooled has a place of its own, so concurrent blocks do not overlap.
class MapTap final : public Tap {
 public:
  // One map for each sequence, layer and head of the request's site; `request` must outlive the tap.
  MapTap(const TokenBatch& queries, const TokenBatch& keys, const Request& request, const MapChoice& choice);
  MapTap(const TokenBatch& batch, const Request& request, const MapChoice& choice) : MapTap(batch, batch, request, choice) {}

  bool wants(TapKind kind) const override { return kind == TapKind::kPattern || (kind == TapKind::kScores && keeps_log_sums_); }
  void on_block(const TapBlock& block) override;

  const MapShape& shape(std::size_t sequence) const { return shapes_[sequence]; }
  std::vector<AttentionMap> take(std::size_t sequence);  // by layer, then head
  std::size_t kept_bytes() const;

 private:
  struct Kept {
    WeightArray pattern;                  // [rows, columns] of the span, if it is not pooled
    std::unique_ptr<PooledCells> pooled;  // if it is pooled
    std::vector<float> log_sums;          // [rows]
  };

  static void copy_rows(const TapBlock& block, const MapShape& shape, WeightArray* pattern);

  static void add_log_sums(const TapBlock& block, const MapShape& shape, std::vector<float>* log_sums);

  const Request& request_;
  bool keeps_log_sums_;
  std::vector<MapShape> shapes_;         // [sequence]
  std::vector<std::vector<Kept>> maps_;  // [sequence][layer place * n heads + head place]
};

}  // namespace attnviz
