// See terminal_links.h.
#include "render/terminal/terminal_links.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "render/terminal/terminal_colour.h"
#include "trace/label.h"

namespace attnviz {
namespace {

constexpr std::size_t kLinksPerRow = 4;
constexpr std::string_view kArrow = " -> ";

std::size_t widest_of(const std::vector<TerminalText>& names, const std::vector<std::size_t>& positions) {
  std::size_t widest = 0;
  for (const std::size_t position : positions) widest = std::max(widest, names[position].width());
  return widest;
}

}  // namespace

bool prints_as_nothing(float weight, const ValueInfo& value) { return std::abs(weight) < std::pow(10.0F, -value.decimals) / 2; }

std::string_view sgr_of(const Token& token) {
  if (token.kind == TokenKind::kSpecial) return kDim;
  return token.generated ? kUnderlined : std::string_view{};
}

std::vector<TerminalText> token_names(const std::vector<Token>& tokens) {
  std::map<std::string, std::size_t> seen;
  std::vector<TerminalText> names;
  for (const Token& token : tokens) {
    const std::size_t n = ++seen[token.text];
    const std::string label = token_label(token);
    if (token.position) {  // "#2" would count within the shown part only
      names.emplace_back(TerminalText::prose(fmt::format("@{} {}", *token.position, label)));
      continue;
    }
    names.emplace_back(n == 1 ? label : fmt::format("{}#{}", label, n));
  }
  return names;
}

std::vector<std::size_t> telling_rows(const Trace& trace, const AttentionMap& map, std::size_t n) {
  std::vector<Link> best;
  for (std::size_t query_pos = 0; query_pos < map.n_query && map.n_key > 0; ++query_pos) {
    const Link link = strongest_of_row(map, query_pos, 1)[0];
    const bool itself = is_self_link(trace, map, query_pos, link.key_pos);
    const bool content =
        trace.queries[query_pos].kind != TokenKind::kSpecial && trace.keys[link.key_pos].kind != TokenKind::kSpecial;
    if (content && !itself && link.weight != 0) best.push_back(link);
  }
  std::stable_sort(best.begin(), best.end(), [](const Link& a, const Link& b) { return std::abs(a.weight) > std::abs(b.weight); });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < std::min(n, best.size()); ++i) rows.push_back(best[i].query_pos);
  if (const auto link = strongest_content_link(trace, map); rows.empty() && link) rows.push_back(link->query_pos);
  return rows;
}

std::string draw_row_links(const Trace& trace, const AttentionMap& map, const std::vector<std::size_t>& rows,
                           const TerminalOptions& options) {
  const std::vector<TerminalText> queries = token_names(trace.queries);
  const std::vector<TerminalText> keys = token_names(trace.keys);
  const std::size_t name_width = std::min(widest_of(queries, rows), std::max<std::size_t>(options.columns / 4, 4));
  std::string lines;
  for (const std::size_t row : rows) {
    StyledLine line(options.colour);
    line.put(right_aligned(queries[row].elided(name_width), name_width), sgr_of(trace.queries[row])).put(kArrow);
    std::size_t left = options.columns - std::min(options.columns, name_width + kArrow.size());
    bool first = true;
    for (const Link& link : strongest_of_row(map, row, kLinksPerRow)) {
      if (first && link.weight == 0) line.put("nothing", kDim);
      if (link.weight == 0) break;
      const std::string weight = fmt::format(" {:.{}f}", link.weight, trace.value.decimals);
      const std::size_t gap = first ? 0 : 2;
      if (left < gap + weight.size()) break;
      const std::size_t room = left - gap - weight.size();
      const TerminalText key = first ? keys[link.key_pos].elided(room) : keys[link.key_pos];
      if (key.width() > room || (prints_as_nothing(link.weight, trace.value) && !first)) break;
      line.put(std::string(gap, ' ')).put(key.bytes(), first ? std::string_view{} : sgr_of(trace.keys[link.key_pos])).put(weight);
      left -= gap + key.width() + weight.size();
      first = false;
    }
    lines += line.end();
  }
  return lines;
}

std::string draw_link_table(const Trace& trace, const std::vector<Link>& links, const TerminalOptions& options) {
  const std::vector<TerminalText> queries = token_names(trace.queries);
  const std::vector<TerminalText> keys = token_names(trace.keys);
  std::vector<std::size_t> query_positions;
  std::vector<std::size_t> key_positions;
  for (const Link& link : links) query_positions.push_back(link.query_pos), key_positions.push_back(link.key_pos);

  const std::string value_name = trace.value.noun();
  const std::size_t value_width = std::max<std::size_t>(value_name.size(), 6);
  const std::size_t numbers_width = 5 + 1 + 4 + 2 + 4 + 2 + value_width;  // layer, head, arrow, value and the gaps between
  const std::size_t room = options.columns - std::min(options.columns, numbers_width);
  const std::size_t query_width = std::min(std::max<std::size_t>(widest_of(queries, query_positions), 5), room / 2);
  const std::size_t key_width = std::min(std::max<std::size_t>(widest_of(keys, key_positions), 3), room - query_width);

  StyledLine line(options.colour);
  line.put("layer head  " + right_aligned(TerminalText("query").elided(query_width), query_width), kDim);
  line.put(std::string(kArrow) + left_aligned(TerminalText("key").elided(key_width), key_width) +
               fmt::format("  {:>{}}", value_name, value_width),
           kDim);
  std::string table = line.end();
  const std::string_view by = trace.reduced ? reduce_by_name(trace.reduced->by) : "";
  for (const Link& link : links) {
    line.put(trace.reduced && trace.reduced->over_layers ? fmt::format("{:>5} ", by) : fmt::format("{:5} ", link.layer));
    line.put(trace.reduced && trace.reduced->over_heads ? fmt::format("{:>4}  ", by) : fmt::format("{:4}  ", link.head));
    line.put(right_aligned(queries[link.query_pos].elided(query_width), query_width)).put(kArrow);
    line.put(left_aligned(keys[link.key_pos].elided(key_width), key_width))
        .put(fmt::format("  {:{}.{}f}", link.weight, value_width, trace.value.decimals));
    table += line.end();
  }
  return table;
}

}  // namespace attnviz
