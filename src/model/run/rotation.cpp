// See rotation.h.
#include "model/run/rotation.h"

#include <algorithm>

namespace attnviz {

void Rotation::apply(ThreadPool& pool, std::size_t layer, std::size_t n_heads, float* x) {
  const auto& rope_of_layer = stack_.attention_at(layer).rope;
  if (!rope_of_layer) return;
  const RopeSpec& spec = *rope_of_layer;
  if (positions_.empty()) {
    for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
      for (std::size_t row = offsets_[i]; row < offsets_[i + 1]; ++row) {
        positions_.push_back(static_cast<std::int32_t>(n_past_ + row - offsets_[i]));
      }
    }
  }
  const std::size_t kind = stack_.attention_of_layer.empty() ? 0 : stack_.attention_of_layer[layer];
  const std::size_t d_head = stack_.attention.d_head;
  RopeArgs args{nullptr, spec.d_rotary, spec.adjacent_pairs, positions_, x, n_heads * d_head, n_heads, d_head};
  if (spec.long_frequencies.empty()) {
    args.table = &table(spec, kind, false);
    return rope(pool, args);
  }
  for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {  // the rotation of a text depends on its length
    const std::size_t first = offsets_[i];
    const std::size_t n_tokens = offsets_[i + 1] - first;
    args.table = &table(spec, kind, n_past_ + n_tokens > spec.n_short);
    args.positions = std::span(positions_).subspan(first, n_tokens);
    args.x = x + first * args.x_stride;
    rope(pool, args);
  }
}

const RopeTable& Rotation::table(const RopeSpec& spec, std::size_t kind, bool is_long) {
  const auto [place, is_new] = tables_.try_emplace({kind, is_long});
  if (is_new) {
    const auto n_positions = static_cast<std::size_t>(*std::max_element(positions_.begin(), positions_.end())) + 1;
    place->second = make_rope_table(is_long ? spec.long_frequencies : spec.inverse_frequencies, spec.attention_factor, n_positions);
  }
  return place->second;
}

}  // namespace attnviz
