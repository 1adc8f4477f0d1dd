// See spans.h.
#include "trace/spans.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/setting_error.h"

namespace attnviz {
namespace {

constexpr std::size_t kSuggestedPool = 512;

TokenSpan checked(const std::optional<TokenSpan>& wanted, std::size_t n_token) {
  const TokenSpan kept = wanted.value_or(TokenSpan{0, n_token});
  if (kept.begin < kept.end && kept.end <= n_token) return kept;
  throw Error(ErrorKind::kBug,
              fmt::format("map: the span [{}, {}) is not inside a text of {} tokens", kept.begin, kept.end, n_token));
}

std::size_t tile_side(std::size_t n, std::size_t pool) { return pool == 0 ? 1 : (n + pool - 1) / pool; }

// Nothing for a span of all tokens.
std::optional<std::string> span_note(const char* one, const char* what, const std::optional<TokenSpan>& wanted, TokenSpan kept,
                                     std::size_t n_token) {
  if (!wanted || kept.size() == n_token) return std::nullopt;
  if (kept.size() == 1) return fmt::format("{} @{} of {} tokens", one, kept.begin, n_token);
  return fmt::format("{} @{} to @{} of {} tokens", what, kept.begin, kept.end - 1, n_token);
}

}  // namespace

MapShape shape_map(const MapChoice& choice, const AxisLengths& lengths) {
  MapShape shape;
  shape.rows = checked(choice.rows, lengths.n_query);
  shape.columns = checked(choice.columns, lengths.n_key);
  shape.row_side = tile_side(shape.rows.size(), choice.pool);
  shape.column_side = tile_side(shape.columns.size(), choice.pool);
  shape.by = choice.by;
  return shape;
}

void check_map_size(const MapShape& shape, std::size_t n_map) {
  const std::size_t n_rows = shape.n_rows();
  const std::size_t n_columns = shape.n_columns();
  // Divided, not multiplied, so that no product of two lengths can overflow.
  if (n_rows > kMostTokensOfSide * kMostTokensOfSide / n_columns) {
    throw SettingError(ErrorKind::kInput,
                       {fmt::format("text: a map of {} x {} tokens is too large to be kept whole; expected at most {} x {}; try ",
                                    n_rows, n_columns, kMostTokensOfSide, kMostTokensOfSide),
                        Setting::kPool, fmt::format(" {} for an overview, or ", kSuggestedPool), Setting::kRows, ", ",
                        Setting::kColumns, " or ", Setting::kFocus, " for a part"});
  }
  if (n_rows * n_columns > kMostKeptWeights / n_map) {
    throw SettingError(
        ErrorKind::kInput,
        {fmt::format(
             "text: {} maps of {} x {} tokens are more than can be kept; expected at most {} weights, found {}; choose some with ",
             n_map, n_rows, n_columns, kMostKeptWeights, n_rows * n_columns * n_map),
         Setting::kLayer, " and ", Setting::kHead, ", or try ", Setting::kPool, fmt::format(" {}", kSuggestedPool / 4)});
  }
}

std::vector<Token> axis_tokens(std::span<const Token> tokens, TokenSpan kept, std::size_t side) {
  std::vector<Token> axis;
  axis.reserve((kept.size() + side - 1) / side);
  for (std::size_t begin = kept.begin; begin < kept.end; begin += side) {
    const auto tile = tokens.subspan(begin, std::min(side, kept.end - begin));
    Token token = tile.front();
    token.position = begin;
    token.n_tokens = tile.size();
    // A tile that begins with [CLS] is not a special token.
    const auto is_content = [](const Token& one) { return one.kind != TokenKind::kSpecial; };
    if (!is_content(token) && std::any_of(tile.begin(), tile.end(), is_content)) token.kind = TokenKind::kWord;
    axis.push_back(std::move(token));
  }
  return axis;
}

std::vector<std::string> shape_notes(const MapChoice& choice, const MapShape& shape, const AxisLengths& lengths) {
  std::vector<std::string> notes;
  for (const auto& note : {span_note("query", "queries", choice.rows, shape.rows, lengths.n_query),
                           span_note("key", "keys", choice.columns, shape.columns, lengths.n_key)}) {
    if (note) notes.push_back(*note);
  }
  if (shape.pooled()) {
    notes.push_back(fmt::format("pooled: {} over tiles of {} × {} tokens", shape.by == PoolBy::kMax ? "maximum" : "mean",
                                shape.row_side, shape.column_side));
  }
  return notes;
}

}  // namespace attnviz
