// See part.h.
#include "trace/part.h"

#include <algorithm>
#include <utility>

#include "trace/pool.h"

namespace attnviz {
namespace {

MapShape shape_of(const MapChoice& choice, std::size_t n_query, std::size_t n_key) {
  MapChoice rows = choice;
  rows.columns.reset();
  MapChoice columns = choice;
  columns.rows.reset();
  MapShape shape = shape_map(rows, n_query);
  const MapShape other = shape_map(columns, n_key);
  shape.columns = other.columns;
  shape.column_side = other.column_side;
  return shape;
}

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

std::vector<std::string> notes_of(const MapChoice& choice, const MapShape& shape, std::size_t n_query, std::size_t n_key) {
  if (n_query == n_key) return shape_notes(choice, shape, n_query);
  MapChoice rows = choice;
  rows.columns.reset();
  MapShape not_pooled = shape;
  not_pooled.row_side = 1;
  not_pooled.column_side = 1;
  std::vector<std::string> notes = shape_notes(rows, not_pooled, n_query);
  MapChoice columns = choice;
  columns.rows.reset();
  for (std::string& note : shape_notes(columns, shape, n_key)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

Trace take_part(Trace whole, const MapChoice& choice) {
  const std::size_t n_query = whole.queries.size();
  const std::size_t n_key = whole.keys.size();
  const MapShape shape = shape_of(choice, n_query, n_key);
  if (!choice.rows && !choice.columns && !shape.pooled()) return whole;
  whole.queries = axis_tokens(whole.queries, shape.rows, shape.row_side);
  whole.keys = axis_tokens(whole.keys, shape.columns, shape.column_side);
  if (shape.pooled()) whole.pool = Pool{shape.row_side, shape.column_side, shape.by};
  for (AttentionMap& map : whole.maps) {
    map.pattern = part_of(map, shape);
    map.n_query = shape.n_rows();
    map.n_key = shape.n_columns();
  }
  for (std::string& note : notes_of(choice, shape, n_query, n_key)) whole.notes.push_back(std::move(note));
  return whole;
}

}  // namespace attnviz
