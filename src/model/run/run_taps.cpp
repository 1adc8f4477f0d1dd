// See run_taps.h.
#include "model/run/run_taps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/linear.h"

namespace attnviz {
namespace {

constexpr std::size_t kRowsOfBlock = 256;  // D-wide rows that exist at once

float length_of(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value) * static_cast<double>(value);
  return static_cast<float>(std::sqrt(sum));
}

// The rows of a text that hold the positions `queries`, as [begin, end) of its own rows.
QueryRows rows_of_text(const std::optional<QueryRows>& queries, std::size_t n_past, std::size_t n_rows) {
  if (!queries) return {0, n_rows};
  const auto row = [&](std::size_t position) { return std::min(position > n_past ? position - n_past : 0, n_rows); };
  return {row(queries->begin), std::max(row(queries->begin), row(queries->end))};
}

}  // namespace

void RunTaps::show_block(const TapBlock& block) const {
  for (Tap* tap : taps_) {
    if (tap->wants(block.kind)) tap->on_block(block);
  }
}

void RunTaps::show(const TapPlace& place, HeadRows<const float> rows, std::size_t n_columns,
                   const std::optional<QueryRows>& queries) const {
  if (!wants(place.kind)) return;
  for (std::size_t sequence = 0; sequence + 1 < offsets_.size(); ++sequence) {
    const std::size_t first = offsets_[sequence];
    const QueryRows shown = rows_of_text(queries, n_past_, offsets_[sequence + 1] - first);
    if (queries && shown.begin == shown.end) continue;
    show_block({place.kind, sequence, place.layer, place.head, n_past_ + shown.begin, shown.end - shown.begin, n_columns,
                rows.data + (first + shown.begin) * rows.stride, rows.stride, place.site});
  }
}

AttentionTaps::AttentionTaps(const RunTaps& taps, const AttentionPlan& plan, std::size_t layer)
    : taps_(taps), plan_(plan), layer_(layer) {
  if (plan.request == nullptr) return;
  wants_scores_ = taps.wants(TapKind::kScores);
  wants_pattern_ = taps.wants(TapKind::kPattern);
}

void AttentionTaps::set_key_lengths(std::vector<std::vector<float>> lengths, std::span<const std::size_t> key_offsets) {
  wants_pairs_ = true;
  lengths_ = std::move(lengths);
  key_offsets_ = key_offsets;
}

std::size_t AttentionTaps::place_of(std::size_t head) const {
  const std::vector<std::size_t>& heads = plan_.request->heads;
  return static_cast<std::size_t>(std::find(heads.begin(), heads.end(), head) - heads.begin());
}

bool AttentionTaps::wants(AttentionStage stage, std::size_t head) const {
  const bool any = stage == AttentionStage::kScores ? wants_scores_ : wants_pattern_ || wants_pairs_;
  return any && place_of(head) < plan_.request->heads.size();
}

void AttentionTaps::take(const AttentionBlock& block) {
  TapBlock shown{block.stage == AttentionStage::kScores ? TapKind::kScores : TapKind::kPattern,
                 block.sequence,
                 layer_,
                 block.head,
                 block.query_begin,
                 block.n_queries,
                 block.n_keys,
                 block.values,
                 block.row_stride,
                 plan_.site};
  taps_.show_block(shown);
  if (block.stage == AttentionStage::kScores || !wants_pairs_) return;
  const float* lengths = lengths_[place_of(block.head)].data() + key_offsets_[block.sequence];
  std::vector<float> products(block.n_queries * block.n_keys);
  for (std::size_t r = 0; r < block.n_queries; ++r) {
    const std::span<const float> pattern = shown.row(r);
    std::transform(pattern.begin(), pattern.end(), lengths, products.begin() + static_cast<std::ptrdiff_t>(r * block.n_keys),
                   [](float weight, float length) { return weight * length; });
  }
  shown.kind = TapKind::kPairNorm;
  shown.values = products.data();
  shown.row_stride = block.n_keys;
  taps_.show_block(shown);
}

HeadOutputs::HeadOutputs(ThreadPool& pool, const TensorSet& set, TensorRole output, std::size_t d_head)
    : pool_(pool), set_(set), output_(output), d_head_(d_head) {
  const BoundTensor& matrix = set.at(output);
  d_model_ = matrix.view.shape[matrix.transposed ? 1 : 0];
}

const float* HeadOutputs::multiply(std::size_t head, HeadRows<const float> x, std::size_t n_rows) {
  if (head != head_) weights_ = output_weights_of_head(set_, output_, head, d_head_);
  head_ = head;
  rows_.resize(kRowsOfBlock * d_model_);
  LinearArgs args;
  args.x = x.data;
  args.x_stride = x.stride;
  args.n_rows = n_rows;
  args.weight = {DType::kF32, {d_model_, d_head_}, reinterpret_cast<const std::byte*>(weights_.data())};
  args.y = rows_.data();
  args.y_stride = d_model_;
  linear(pool_, args);
  return rows_.data();
}

std::vector<float> HeadOutputs::lengths(std::size_t head, HeadRows<const float> x, std::size_t n_rows) {
  std::vector<float> lengths;
  lengths.reserve(n_rows);
  for (std::size_t begin = 0; begin < n_rows; begin += kRowsOfBlock) {
    const std::size_t n = std::min(kRowsOfBlock, n_rows - begin);
    const float* rows = multiply(head, {x.data + begin * x.stride, x.stride}, n);
    for (std::size_t row = 0; row < n; ++row) lengths.push_back(length_of({rows + row * d_model_, d_model_}));
  }
  return lengths;
}

void HeadOutputs::show(const RunTaps& taps, const TapPlace& place, HeadRows<const float> z,
                       const std::optional<QueryRows>& queries) {
  const bool wants_rows = taps.wants(TapKind::kHeadOut);
  const bool wants_lengths = taps.wants(TapKind::kHeadOutNorm);
  for (std::size_t sequence = 0; sequence + 1 < taps.offsets().size(); ++sequence) {
    const std::size_t first = taps.offsets()[sequence];
    const QueryRows shown = rows_of_text(queries, taps.n_past(), taps.offsets()[sequence + 1] - first);
    for (std::size_t begin = shown.begin; begin < shown.end; begin += kRowsOfBlock) {
      const std::size_t n = std::min(kRowsOfBlock, shown.end - begin);
      const float* rows = multiply(place.head, {z.data + (first + begin) * z.stride, z.stride}, n);
      TapBlock block{TapKind::kHeadOut, sequence, place.layer, place.head, taps.n_past() + begin, n,
                     d_model_,          rows,     d_model_,    place.site};
      if (wants_rows) taps.show_block(block);
      if (!wants_lengths) continue;
      std::vector<float> lengths;
      for (std::size_t row = 0; row < n; ++row) lengths.push_back(length_of(block.row(row)));
      block.kind = TapKind::kHeadOutNorm;
      block.n_columns = block.row_stride = 1;
      block.values = lengths.data();
      taps.show_block(block);
    }
  }
}

}  // namespace attnviz
