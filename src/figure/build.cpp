// See build.h.
#include "figure/build.h"

#include "figure/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace attnviz {
namespace {

constexpr std::size_t kMostPlainLabels = 64;

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

// At most `limit` bytes, cut before a whole character.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// Spaces stay spaces here: it is a sentence, not a token.
std::string quoted(std::string_view text) {
  std::string visible;
  const std::string cut = shortened(text, 200);
  for (std::size_t begin = 0; begin <= cut.size();) {
    const std::size_t end = std::min(cut.find(' ', begin), cut.size());
    if (begin > 0) visible += ' ';
    visible += visible_text(std::string_view(cut).substr(begin, end - begin));
    begin = end + 1;
  }
  return "“" + visible + "”";
}

std::string subtitle_of(const Trace& trace) {
  std::vector<std::string> parts{trace.model.name};
  if (!trace.maps.empty()) parts.push_back(fmt::format("{}-attention", map_kind_name(trace.maps.front().kind)));
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

// A tile is named by where it begins, "@128 word"; so are the tokens of a part too long to be labelled one by one.
std::vector<AxisLabel> labels_of(const std::vector<Token>& tokens, std::size_t tile_side) {
  std::vector<AxisLabel> labels;
  labels.reserve(tokens.size());
  const bool by_position = tile_side > 1 || tokens.size() > kMostPlainLabels;
  for (const Token& token : tokens) {
    std::string label = token_label(token);
    if (by_position && token.position) label = fmt::format("@{} {}", *token.position, label);
    labels.push_back({std::move(label), token.kind == TokenKind::kSpecial, token.generated});
  }
  return labels;
}

}  // namespace

Figure make_figure(const Trace& trace, const FigureOptions& options) {
  Figure figure;
  figure.view = options.view;
  figure.title = title_of(trace);
  figure.subtitle = subtitle_of(trace);
  figure.row_labels = labels_of(trace.queries, trace.pool ? trace.pool->rows : 1);
  figure.column_labels = labels_of(trace.keys, trace.pool ? trace.pool->columns : 1);
  if (trace.reduced && trace.reduced->over_layers) figure.layer_name = reduce_by_name(trace.reduced->by);
  if (trace.reduced && trace.reduced->over_heads) figure.head_name = reduce_by_name(trace.reduced->by);
  figure.command = trace.command;
  figure.panels.reserve(trace.maps.size());
  for (const AttentionMap& map : trace.maps) {
    figure.panels.push_back({.title = panel_title(trace, map),
                             .layer = map.layer,
                             .head = map.head,
                             .n_rows = map.n_query,
                             .n_columns = map.n_key,
                             .values = {map.pattern.begin(), map.pattern.end()}});
  }
  return figure;
}

}  // namespace attnviz
