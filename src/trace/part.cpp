// See part.h.
#include "trace/part.h"

#include <algorithm>
#include <utility>

#include "trace/pool.h"

namespace attnviz {
namespace {

WeightArray part_of(const AttentionMap& map, const MapShape& shape) {
  if (shape.pooled()) {
    PooledCells cells(shape);
    cells.add({TapKind::kPattern, 0, map.layer, map.head, 0, map.n_query, map.n_key, map.pattern.data(), map.n_key});
    return cells.take();
  }
  WeightArray part(shape.n_rows() * shape.n_columns());
  auto to = part.begin();
  for (std::size_t row = shape.rows.begin; row < shape.rows.end; ++row) {
    const float* from = map.pattern.data() + row * map.n_key;
    to = std::copy(from + shape.columns.begin, from + shape.columns.end, to);
  }
  return part;
}

}  // namespace

Trace take_part(Trace whole, const MapChoice& choice) {
  const AxisLengths lengths{whole.queries.size(), whole.keys.size()};
  const MapShape shape = shape_map(choice, lengths);
  if (!choice.rows && !choice.columns && !shape.pooled()) return whole;
  whole.queries = axis_tokens(whole.queries, shape.rows, shape.row_side);
  whole.keys = axis_tokens(whole.keys, shape.columns, shape.column_side);
  if (shape.pooled()) whole.pool = Pool{shape.row_side, shape.column_side, shape.by};
  for (AttentionMap& map : whole.maps) {
    map.pattern = part_of(map, shape);
    map.n_query = shape.n_rows();
    map.n_key = shape.n_columns();
  }
  for (std::string& note : shape_notes(choice, shape, lengths)) whole.notes.push_back(std::move(note));
  return whole;
}

}  // namespace attnviz
