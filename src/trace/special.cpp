// See special.h.
#include "trace/special.h"

#include "base/setting_error.h"
#include "trace/derived.h"

namespace attnviz {
namespace {

std::vector<std::size_t> content_positions(const std::vector<Token>& tokens) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kSpecial) kept.push_back(i);
  }
  return kept;
}

std::vector<Token> tokens_at(const std::vector<Token>& tokens, const std::vector<std::size_t>& positions) {
  std::vector<Token> kept;
  for (const std::size_t position : positions) kept.push_back(tokens[position]);
  return kept;
}

}  // namespace

Trace hide_special(const Trace& trace) {
  const std::vector<std::size_t> rows = content_positions(trace.queries);
  const std::vector<std::size_t> columns = content_positions(trace.keys);
  if (rows.empty() || columns.empty()) {
    throw SettingError(
        ErrorKind::kInput,
        {Setting::kHideSpecial, ": nothing is left to show; expected a text with words, found special tokens only; leave ",
         Setting::kHideSpecial, " out"});
  }
  Trace shown = without_maps(trace);
  shown.queries = tokens_at(trace.queries, rows);
  shown.keys = tokens_at(trace.keys, columns);
  for (const AttentionMap& map : trace.maps) {
    AttentionMap kept{map.site, map.layer, map.head, rows.size(), columns.size(), {}};
    kept.pattern.reserve(rows.size() * columns.size());
    for (const std::size_t row : rows) {
      for (const std::size_t column : columns) kept.pattern.push_back(map.at(row, column));
    }
    shown.maps.push_back(std::move(kept));
  }
  shown.special_hidden = true;
  shown.notes.emplace_back(kSpecialHiddenNote);
  return shown;
}

}  // namespace attnviz
