// See taps.h.
#include "pipeline/taps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stream_rows.h"

namespace attnviz {
namespace {

constexpr std::size_t kLargeMap = 1 << 17;  // weights; smaller maps may still be in a cache when they are read

std::size_t place_in(const std::vector<std::size_t>& sorted, std::size_t value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

}  // namespace

std::size_t map_place(const Request& request, const TapBlock& block) {
  return place_in(request.layers, block.layer) * request.heads.size() + place_in(request.heads, block.head);
}

MapTap::MapTap(const TokenBatch& queries, const TokenBatch& keys, const Request& request, const MapChoice& choice)
    : request_(request), keeps_log_sums_(choice.log_sums && choice.pool == 0) {
  const std::size_t n_map = request.layers.size() * request.heads.size();
  for (std::size_t sequence = 0; sequence < queries.n_sequences(); ++sequence) {
    const MapShape shape = shape_map(choice, {queries.n_tokens_of(sequence), keys.n_tokens_of(sequence)});
    std::vector<Kept> maps(n_map);
    for (Kept& map : maps) {
      if (shape.pooled()) {
        map.pooled = std::make_unique<PooledCells>(shape);
      } else {
        map.pattern.resize(shape.n_rows() * shape.n_columns());
        if (keeps_log_sums_) map.log_sums.resize(shape.n_rows());
      }
    }
    shapes_.push_back(shape);
    maps_.push_back(std::move(maps));
  }
}

void MapTap::on_block(const TapBlock& block) {
  if (block.site != request_.site) return;
  Kept& map = maps_[block.sequence][map_place(request_, block)];
  if (block.kind == TapKind::kScores) {
    add_log_sums(block, shapes_[block.sequence], &map.log_sums);
  } else if (map.pooled) {
    map.pooled->add(block);
  } else {
    copy_rows(block, shapes_[block.sequence], &map.pattern);
  }
}

void MapTap::copy_rows(const TapBlock& block, const MapShape& shape, WeightArray* pattern) {
  const std::size_t end = std::min(block.row_begin + block.n_rows, shape.rows.end);
  const std::size_t begin = std::max(block.row_begin, shape.rows.begin);
  if (begin >= end) return;
  const float* from = block.row(begin - block.row_begin).data() + shape.columns.begin;
  float* to = pattern->data() + (begin - shape.rows.begin) * shape.columns.size();
  if (pattern->size() >= kLargeMap) return stream_rows({from, block.row_stride, end - begin, shape.columns.size(), to});
  for (std::size_t row = begin; row < end; ++row, from += block.row_stride, to += shape.columns.size()) {
    std::copy(from, from + shape.columns.size(), to);
  }
}

// Over all keys of a row, whichever of them are kept. Minus infinity where nothing may be attended to.
void MapTap::add_log_sums(const TapBlock& block, const MapShape& shape, std::vector<float>* log_sums) {
  for (std::size_t r = 0; r < block.n_rows; ++r) {
    const std::size_t query_pos = block.row_begin + r;
    if (query_pos < shape.rows.begin || query_pos >= shape.rows.end) continue;
    const std::span<const float> scores = block.row(r);
    const float largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    if (std::isfinite(largest)) {
      for (const float score : scores) sum += std::exp(score - largest);
    }
    (*log_sums)[query_pos - shape.rows.begin] = static_cast<float>(largest + (sum > 0 ? std::log(sum) : 0));
  }
}

std::vector<AttentionMap> MapTap::take(std::size_t sequence) {
  const MapShape& shape = shapes_[sequence];
  std::vector<AttentionMap> maps;
  for (std::size_t i = 0; i < maps_[sequence].size(); ++i) {
    Kept& kept = maps_[sequence][i];
    const std::size_t layer = request_.layers[i / request_.heads.size()];
    const std::size_t head = request_.heads[i % request_.heads.size()];
    maps.push_back({request_.site, layer, head, shape.n_rows(), shape.n_columns(),
                    kept.pooled ? kept.pooled->take() : std::move(kept.pattern), std::move(kept.log_sums)});
    kept = {};
  }
  return maps;
}

std::size_t MapTap::kept_bytes() const {
  std::size_t n = 0;
  for (const std::vector<Kept>& maps : maps_) {
    for (const Kept& map : maps) {
      n += map.pooled ? map.pooled->kept_bytes() : (map.pattern.size() + map.log_sums.size()) * sizeof(float);
    }
  }
  return n;
}

}  // namespace attnviz
