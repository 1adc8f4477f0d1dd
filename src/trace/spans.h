// Which part of a [T, T] map is kept, and how coarsely: spans of rows and columns, pooled into tiles.
// Tested in tests/unit/trace/spans_test.cpp.
#pragma once

#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

// What a user asks for; nothing set keeps whole maps.
struct MapChoice {
  std::optional<TokenSpan> rows{};     // queries
  std::optional<TokenSpan> columns{};  // keys
  std::size_t pool = 0;                // at most this many tiles per side; 0: not pooled
  PoolBy by = PoolBy::kMax;
  bool log_sums = false;  // AttentionMap::log_sums are kept too, unless maps are pooled
};

// The same for a text of known length: cell (r, c) stands for `row_side` x `column_side` weights of the spans.
struct MapShape {
  TokenSpan rows;
  TokenSpan columns;
  std::size_t row_side = 1;
  std::size_t column_side = 1;
  PoolBy by = PoolBy::kMax;

  bool pooled() const { return row_side > 1 || column_side > 1; }
  std::size_t n_rows() const { return (rows.size() + row_side - 1) / row_side; }
  std::size_t n_columns() const { return (columns.size() + column_side - 1) / column_side; }
};

// Tokens of the two axes of a map: of one text, or of two.
struct AxisLengths {
  std::size_t n_query = 0;
  std::size_t n_key = 0;
};

// A tile's side is ceil(tokens of the span / pool). Throws Error(kBug) for a span that is empty or leaves its text.
MapShape shape_map(const MapChoice& choice, const AxisLengths& lengths);
inline MapShape shape_map(const MapChoice& choice, std::size_t n_token) { return shape_map(choice, {n_token, n_token}); }

// Throws SettingError(kInput) for maps of that shape that are larger than base/limits.h allows, with the settings that ask for
// less.
void check_map_size(const MapShape& shape, std::size_t n_map);

// The tokens that name rows or columns: those of the span, or the first of each tile, with their positions.
std::vector<Token> axis_tokens(std::span<const Token> tokens, TokenSpan kept, std::size_t side);

// The notes of a trace of that choice: "queries 10 to 20 of 57 tokens", "pooled: maximum over tiles of 16 × 16 tokens".
std::vector<std::string> shape_notes(const MapChoice& choice, const MapShape& shape, const AxisLengths& lengths);

}  // namespace attnviz
