// See marks.h.
#include "trace/marks.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "base/setting_error.h"
#include "trace/label.h"
#include "trace/links.h"

namespace attnviz {
namespace {

TokenNames queries_of(const MapAxes& axes, Setting setting) { return {setting, axes.queries, axes.texts}; }
TokenNames keys_of(const MapAxes& axes, Setting setting) { return {setting, axes.keys, axes.texts}; }

void check_shown(std::string_view link, std::string_view word, TokenSpan span, const std::optional<TokenSpan>& shown,
                 const char* what) {
  if (!shown || (span.begin >= shown->begin && span.end <= shown->end)) return;
  throw SettingError(
      ErrorKind::kInput,
      {Setting::kHighlight, fmt::format(" {}: {} is not among the {} that are shown, @{} to @{}; choose others, or show all",
                                        quote_text(link), quote_text(word), what, shown->begin, shown->end - 1)});
}

// The strongest link from a word to another in any of the maps; the first row where there is none.
TokenSpan telling_row(const Trace& trace) {
  const std::vector<Link> links = strongest_content_links(trace, 1);
  const std::size_t row = links.empty() ? 0 : links.front().query_pos;
  return {row, row + 1};
}

}  // namespace

LinkSpan find_link(std::string_view link, const MapAxes& axes, const ShownPart& shown) {
  const TokenNames queries = queries_of(axes, Setting::kHighlight);
  const TokenNames keys = keys_of(axes, Setting::kHighlight);
  const std::size_t first = link.find(':');
  for (std::size_t colon = first; colon != std::string_view::npos; colon = link.find(':', colon + 1)) {
    const auto query = try_find_word(link.substr(0, colon), queries);
    const auto key = try_find_word(link.substr(colon + 1), keys);
    if (!query || !key) continue;
    check_shown(link, link.substr(0, colon), *query, shown.rows, "queries");
    check_shown(link, link.substr(colon + 1), *key, shown.columns, "keys");
    return {*query, *key};
  }
  if (first == std::string_view::npos || first == 0 || first + 1 == link.size()) {
    throw SettingError(
        ErrorKind::kUsage,
        {Setting::kHighlight, fmt::format(" {}: is not a link; expected two words with a colon between, as in it:animal", link)});
  }
  // One of the two words is at fault; looking it up throws the error that names it.
  const TokenSpan query = find_word(link.substr(0, first), queries);
  return {query, find_word(link.substr(first + 1), keys)};
}

Marks find_marks(const MarkWords& words, const MapAxes& axes, const ShownPart& shown) {
  Marks marks;
  if (words.row) marks.row = find_word(*words.row, queries_of(axes, Setting::kRow));
  for (const std::string& link : words.links) marks.links.push_back(find_link(link, axes, shown));
  return marks;
}

Marks marks_in_part(const Marks& in_whole, const Trace& part) {
  const MapAxes axes = axes_of(part);
  Marks marks;
  if (in_whole.row) marks.row = find_positions(*in_whole.row, queries_of(axes, Setting::kRow));
  for (const LinkSpan& link : in_whole.links) {
    marks.links.push_back({find_positions(link.query, queries_of(axes, Setting::kHighlight)),
                           find_positions(link.key, keys_of(axes, Setting::kHighlight))});
  }
  return marks;
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

std::string span_name(const std::vector<Token>& tokens, TokenSpan span) {
  std::string name = token_label(tokens[span.begin]);
  for (std::size_t i = span.begin + 1; i < span.end; ++i) name += visible_text(tokens[i].text);
  return name;
}

ChosenQuery choose_query(const Trace& trace, const Marks& marks) {
  if (marks.row) return {*marks.row, span_name(trace.queries, *marks.row)};
  if (!trace.focus.empty()) return {{0, trace.queries.size()}, visible_text(trace.focus)};
  const TokenSpan rows = marks.links.empty() ? telling_row(trace) : marks.links.front().query;
  return {rows, span_name(trace.queries, rows)};
}

}  // namespace attnviz
