// See build.h.
#include "figure/build.h"

#include <attnviz/error.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/command_text.h"
#include "base/setting_error.h"
#include "base/utf8.h"
#include "figure/axis_labels.h"
#include "figure/marks.h"
#include "figure/view_registry.h"
#include "trace/label.h"
#include "trace/links.h"
#include "trace/marks.h"

namespace attnviz {
namespace {

// 0, 1, 2, 5 -> "0–2, 5"; two neighbours are listed, not spanned.
std::string number_ranges(const std::set<std::size_t>& numbers) {
  std::string text;
  for (auto it = numbers.begin(); it != numbers.end();) {
    const std::size_t first = *it;
    std::size_t last = first;
    while (++it != numbers.end() && *it == last + 1) ++last;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}{}{}", first, last == first + 1 ? ", " : "–", last);
  }
  return text;
}

std::string counted(const char* noun, const std::set<std::size_t>& numbers) {
  return fmt::format("{}{} {}", noun, numbers.size() == 1 ? "" : "s", number_ranges(numbers));
}

// "Layer 3, mean of heads 0–11", "Heads 0–11; maximum of layers 0–5", "Mean of layers 0–5, heads 0–11".
std::string reduced_title(const Reduction& reduced, const std::string& separator) {
  const std::set<std::size_t> layers(reduced.layers.begin(), reduced.layers.end());
  const std::set<std::size_t> heads(reduced.heads.begin(), reduced.heads.end());
  const std::string by = reduced.by == ReduceBy::kMean ? "ean of " : "aximum of ";
  if (reduced.over_layers && reduced.over_heads)
    return fmt::format("M{}{}, {}", by, counted("layer", layers), counted("head", heads));
  if (reduced.over_heads) return fmt::format("{}{}m{}{}", counted("Layer", layers), separator, by, counted("head", heads));
  return fmt::format("{}{}m{}{}", counted("Head", heads), separator, by, counted("layer", layers));
}

std::string title_of(const Trace& trace) {
  std::set<std::size_t> layers;
  std::set<std::size_t> heads;
  for (const AttentionMap& map : trace.maps) layers.insert(map.layer), heads.insert(map.head);
  const char* separator = trace.maps.size() == 1 ? ", " : "; ";
  const std::string title =
      trace.reduced ? reduced_title(*trace.reduced, separator) : counted("Layer", layers) + separator + counted("head", heads);
  return trace.focus.empty() ? title : title + fmt::format(": where “{}” looks", visible_text(trace.focus));
}

std::string panel_title(const Trace& trace, const AttentionMap& map) {
  if (!trace.reduced) return fmt::format("Layer {}, head {}", map.layer, map.head);
  if (trace.reduced->over_layers && trace.reduced->over_heads) return title_of(trace);
  const std::string by(reduce_by_name(trace.reduced->by));
  return trace.reduced->over_heads ? fmt::format("Layer {}, {}", map.layer, by) : fmt::format("Head {}, {}", map.head, by);
}

// At most 200 bytes of a text in quotes.
std::string quoted(std::string_view text) {
  const std::string_view shown = utf8_prefix(text, 200);
  return fmt::format("“{}{}”", visible_prose(shown), shown.size() < text.size() ? "…" : "");
}

std::string subtitle_of(const Trace& trace) {
  std::vector<std::string> parts{trace.model.name};
  if (!trace.maps.empty()) parts.push_back(fmt::format("{}-attention", site_name(trace.maps.front().site)));
  parts.insert(parts.end(), trace.notes.begin(), trace.notes.end());
  const auto is_generated = [](const Token& token) { return token.generated; };
  const bool any_generated = std::any_of(trace.queries.begin(), trace.queries.end(), is_generated) ||
                             std::any_of(trace.keys.begin(), trace.keys.end(), is_generated);
  if (any_generated && trace.maps.size() == 1) parts.push_back("generated tokens are coloured");
  // A single map has its words along the edges; a grid shows them only here.
  if (trace.maps.size() > 1) {
    for (const std::string& text : trace.texts) parts.push_back(quoted(text));
  }
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

std::vector<AxisLabel> row_labels(const Trace& trace) {
  return token_labels(trace.queries, trace.texts, trace.pool ? trace.pool->rows : 1);
}

std::vector<AxisLabel> column_labels(const Trace& trace) {
  return token_labels(trace.keys, trace.texts, trace.pool ? trace.pool->columns : 1);
}

Panel panel_of(const Trace& trace, const AttentionMap& map) {
  return {.title = panel_title(trace, map),
          .layer = map.layer,
          .head = map.head,
          .n_rows = map.n_query,
          .n_columns = map.n_key,
          .values = {map.pattern.begin(), map.pattern.end()}};
}

// The mean of the query's rows, as merge_words computes it: a row with nothing to attend to does not count.
Panel row_panel(const Trace& trace, const AttentionMap& map, TokenSpan rows) {
  std::vector<double> sums(map.n_key);
  std::size_t n_rows = 0;
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    bool any = false;
    for (std::size_t column = 0; column < map.n_key; ++column) {
      any = any || map.at(row, column) != 0;
      sums[column] += map.at(row, column);
    }
    n_rows += any ? 1 : 0;
  }
  Panel panel{.title = panel_title(trace, map), .layer = map.layer, .head = map.head, .n_rows = 1, .n_columns = map.n_key};
  for (const double sum : sums)
    panel.values.push_back(static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(n_rows, 1))));
  return panel;
}

// Which columns are the query itself, where a text attends to itself.
std::vector<std::size_t> columns_of(const Trace& trace, TokenSpan rows) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < trace.keys.size(); ++column) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      if (!is_self_link(trace, trace.maps.front(), row, column)) continue;
      columns.push_back(column);
      break;
    }
  }
  return columns;
}

// A mark in a picture of one row: columns of a link from its query.
CellMark mark_in_row(const LinkSpan& link, const Trace& trace, const ChosenQuery& query) {
  CellMark mark = cell_mark(trace, link);
  if (link.query.begin < query.rows.end && query.rows.begin < link.query.end) {
    mark.row = 0;
    mark.n_rows = 1;
    return mark;
  }
  throw SettingError(
      ErrorKind::kInput,
      {Setting::kHighlight,
       fmt::format(" {}:{}: the picture shows where “{}” looks; expected a link from there, found one from elsewhere; try ",
                   span_name(trace.queries, link.query), span_name(trace.keys, link.key), query.name),
       Setting::kRow, " with its first word"});
}

void show_row(const Trace& trace, const FigureOptions& options, Figure* figure) {
  const ChosenQuery query = choose_query(trace, options.marks);
  if (trace.focus.empty()) {
    figure->title += fmt::format(": where “{}” looks", query.name);
    figure->subtitle += fmt::format("  ·  query @{} of {}", trace.queries[query.rows.begin].position.value_or(query.rows.begin),
                                    trace.queries.size());
  }
  if (query.rows.size() > 1) figure->subtitle += fmt::format("  ·  mean of the query’s {} tokens", query.rows.size());
  figure->row_labels = {row_labels(trace)[query.rows.begin]};
  figure->row_labels.front().text = query.name;
  figure->query_columns = columns_of(trace, query.rows);
  for (const AttentionMap& map : trace.maps) figure->panels.push_back(row_panel(trace, map, query.rows));
  for (const LinkSpan& link : options.marks.links) figure->highlights.push_back(mark_in_row(link, trace, query));
}

void show_maps(const Trace& trace, const FigureOptions& options, Figure* figure) {
  figure->row_labels = row_labels(trace);
  for (const AttentionMap& map : trace.maps) figure->panels.push_back(panel_of(trace, map));
  for (const LinkSpan& link : options.marks.links) figure->highlights.push_back(cell_mark(trace, link));
  if (!view_spec(options.view).takes_query || !options.marks.row) return;
  const ChosenQuery query = choose_query(trace, options.marks);
  for (std::size_t row = query.rows.begin; row < query.rows.end; ++row) figure->rows.push_back(row);
  figure->title += fmt::format(": where “{}” looks", query.name);
}

}  // namespace

std::optional<ColumnShare> largest_column(const Trace& trace) {
  std::vector<std::span<const float>> maps;
  for (const AttentionMap& map : trace.maps) maps.emplace_back(map.pattern);
  return largest_column(maps, trace.keys.size());
}

Figure make_figure(const Trace& trace, const FigureOptions& options) {
  Figure figure;
  figure.view = options.view;
  figure.value = trace.value;
  figure.title = title_of(trace);
  figure.subtitle = subtitle_of(trace);
  figure.column_labels = column_labels(trace);
  if (trace.reduced && trace.reduced->over_layers) figure.layer_name = reduce_by_name(trace.reduced->by);
  if (trace.reduced && trace.reduced->over_heads) figure.head_name = reduce_by_name(trace.reduced->by);
  figure.command = command_text(trace.provenance);
  figure.panels.reserve(trace.maps.size());
  if (const auto largest = options.hide_sink ? largest_column(trace) : std::nullopt; largest && largest->is_sink()) {
    figure.sink = largest->column;
    figure.sink_share = largest->share;
  }
  const bool of_one_row = view_spec(options.view).of_one_query;
  if (of_one_row && !trace.maps.empty()) {
    show_row(trace, options, &figure);
  } else {
    show_maps(trace, options, &figure);
  }
  return figure;
}

void check_figure(const Trace& trace, const FigureOptions& options) {
  if (!view_spec(options.view).of_one_query) return;
  const ChosenQuery query = choose_query(trace, options.marks);
  for (const LinkSpan& link : options.marks.links) mark_in_row(link, trace, query);
}

}  // namespace attnviz
