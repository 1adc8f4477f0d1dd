// See marks.h.
#include "figure/marks.h"

#include "figure/scale.h"
#include "trace/label.h"
#include "trace/links.h"
#include "trace/token_reference.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace attnviz {
namespace {

TokenNames names_of(const Trace& trace, std::string_view option, const std::vector<Token>& tokens) {
  return {option, tokens, trace.texts};
}

bool is_span_of_indices(std::string_view reference) {
  const std::size_t dash = reference.find("-@");
  return reference.starts_with('@') && dash != std::string_view::npos &&
         reference.find_first_not_of("0123456789", dash + 2) == std::string_view::npos &&
         reference.substr(1, dash - 1).find_first_not_of("0123456789") == std::string_view::npos;
}

// A word, or the indices of its pieces: "@4-@6".
TokenSpan find_token(std::string_view reference, const TokenNames& names) {
  return is_span_of_indices(reference) ? find_span(reference, names) : find_word(reference, names);
}

std::string word_name(const std::vector<Token>& tokens, TokenSpan span) {
  std::string name = token_label(tokens[span.begin]);
  for (std::size_t i = span.begin + 1; i < span.end; ++i) name += visible_text(tokens[i].text);
  return name;
}

std::optional<CellMark> try_link(std::string_view from, std::string_view to, const Trace& trace) {
  const auto query = try_find_word(from, names_of(trace, "--highlight", trace.queries));
  const auto key = try_find_word(to, names_of(trace, "--highlight", trace.keys));
  if (!query || !key) return std::nullopt;
  return CellMark{query->begin, key->begin, query->size(), key->size(), {}};
}

CellMark unnamed_link(std::string_view link, const Trace& trace) {
  const std::size_t first = link.find(':');
  for (std::size_t colon = first; colon != std::string_view::npos; colon = link.find(':', colon + 1)) {
    if (const auto mark = try_link(link.substr(0, colon), link.substr(colon + 1), trace)) return *mark;
  }
  if (first == std::string_view::npos || first == 0 || first + 1 == link.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--highlight {}: is not a link; expected two words with a colon between, as in it:animal", link));
  }
  // One of the two words is at fault, and says so itself.
  const TokenSpan query = find_token(link.substr(0, first), names_of(trace, "--highlight", trace.queries));
  const TokenSpan key = find_token(link.substr(first + 1), names_of(trace, "--highlight", trace.keys));
  return {query.begin, key.begin, query.size(), key.size(), {}};
}

// The strongest link from a word to another in any of the maps; the first row where there is none.
TokenSpan telling_row(const Trace& trace) {
  const std::vector<Link> links = strongest_content_links(trace, 1);
  const std::size_t row = links.empty() ? 0 : links.front().query_pos;
  return {row, row + 1};
}

}  // namespace

ChosenQuery choose_query(const Trace& trace, const FigureOptions& options) {
  if (options.row) {
    const TokenSpan rows = find_token(*options.row, names_of(trace, "--row", trace.queries));
    return {rows, word_name(trace.queries, rows)};
  }
  if (!trace.focus.empty()) return {{0, trace.queries.size()}, visible_text(trace.focus)};
  TokenSpan rows = telling_row(trace);
  if (!options.highlights.empty()) {
    const CellMark mark = find_link(options.highlights.front(), trace);
    rows = {mark.row, mark.row + mark.n_rows};
  }
  return {rows, word_name(trace.queries, rows)};
}

CellMark find_link(std::string_view link, const Trace& trace) {
  CellMark mark = unnamed_link(link, trace);
  mark.name = word_name(trace.queries, {mark.row, mark.row + mark.n_rows}) + " → " +
              word_name(trace.keys, {mark.column, mark.column + mark.n_columns});
  return mark;
}

std::vector<std::string> split_links(std::string_view list) {
  std::vector<std::string> links;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view part = list.substr(0, comma);
    if (links.empty() || part.find(':') != std::string_view::npos) {
      links.emplace_back(part);
    } else {
      links.back().append(",").append(part);
    }
    if (comma == std::string_view::npos) return links;
    list.remove_prefix(comma + 1);
  }
}

double mark_weight(const Panel& panel, const CellMark& mark) {
  double sum = 0;
  for (std::size_t row = mark.row; row < mark.row + mark.n_rows; ++row) {
    for (std::size_t column = mark.column; column < mark.column + mark.n_columns; ++column) {
      sum += panel.values[row * panel.n_columns + column];
    }
  }
  return sum / static_cast<double>(mark.n_rows);
}

std::string marks_remark(const std::vector<CellMark>& marks, const Panel& panel) {
  std::vector<std::string> said;
  for (const CellMark& mark : marks) said.push_back(fmt::format("{} {}", mark.name, format_weight(mark_weight(panel, mark))));
  return fmt::format("{}", fmt::join(said, ", "));
}

}  // namespace attnviz
