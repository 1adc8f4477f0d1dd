// See terminal.h. Puts the parts together: header, cells (terminal_grid.h), links (terminal_links.h), legend.
#include "render/terminal/terminal.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "figure/build.h"
#include "figure/marks.h"
#include "figure/view_registry.h"
#include "render/terminal/terminal_colour.h"
#include "render/terminal/terminal_focus.h"
#include "render/terminal/terminal_grid.h"
#include "render/terminal/terminal_links.h"
#include "trace/derived.h"
#include "trace/label.h"
#include "trace/marks.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxBlocks = 3;       // more blocks would be read one by one, not as a picture
constexpr std::size_t kTellingRows = 5;     // rows spelled out below the cells
constexpr std::size_t kOverviewLinks = 15;  // heads in the overview's table
constexpr std::size_t kMaxGridRows = 64;
constexpr std::size_t kMostPooledRows = 24;

// Cut rather than wrapped: a wrapped line would tear the picture apart.
std::string prose_line(std::string_view text, const TerminalOptions& options, std::string_view sgr = {}) {
  return StyledLine(options.colour).put(TerminalText::prose(text).elided(options.columns).bytes(), sgr).end();
}

// "model  what                 right", the right part over the picture's right edge; on a line of its own where it does not fit.
std::string header(const std::string& model, const std::string& what, const std::string& right, std::size_t picture_width,
                   const TerminalOptions& options) {
  const std::size_t name_room = options.columns - std::min(options.columns, what.size() + 2);
  const TerminalText name = TerminalText::prose(model).elided(name_room);
  const std::size_t left_width = name.width() + 2 + what.size();
  StyledLine line(options.colour);
  line.put(name.bytes(), kBold).put("  ").put(what);
  if (left_width > options.columns) return prose_line(name.bytes(), options, kBold) + prose_line(what, options);
  if (left_width + 3 + right.size() > options.columns) return line.end() + prose_line(right, options, kDim);
  const std::size_t width = std::min(options.columns, std::max(picture_width, left_width + 3 + right.size()));
  return line.put(std::string(width - left_width - right.size(), ' ')).put(right, kDim).end();
}

std::string notes_line(const Trace& trace, const TerminalOptions& options) {
  std::string notes;
  for (const std::string& note : trace.notes) notes += (notes.empty() ? "" : "; ") + note;
  return notes.empty() ? "" : prose_line(notes, options, kDim);
}

std::vector<GridLabel> token_labels(const std::vector<Token>& tokens) {
  std::vector<GridLabel> labels;
  for (const Token& token : tokens) labels.push_back({TerminalText(token_label(token)), sgr_of(token)});
  return labels;
}

std::vector<GridLabel> row_labels(const Trace& trace) {
  if (!trace.pool) return token_labels(trace.queries);
  std::vector<GridLabel> labels;
  for (TerminalText& name : token_names(trace.queries)) labels.push_back({std::move(name), {}});
  return labels;
}

// Only the index of a tile's first token: its word, written vertically, would be cut.
std::vector<GridLabel> column_labels(const Trace& trace) {
  if (!trace.pool) return token_labels(trace.keys);
  std::vector<GridLabel> labels;
  for (std::size_t i = 0; i < trace.keys.size(); ++i) {
    labels.push_back({TerminalText(fmt::format("@{}", trace.keys[i].position.value_or(i))), {}});
  }
  return labels;
}

// The scale of a grid that has its values, by their sign, and its sink.
ColourScale scale_of(const CellGrid& grid, const Style& style) {
  Figure figure;
  figure.panels.push_back({.n_rows = grid.rows.size(), .n_columns = grid.columns.size(), .values = grid.values});
  figure.value = grid.value;
  figure.sink = grid.sink;
  return make_scale(figure, style);
}

// "marked: it → animal 0.677", and the sink that the scale leaves out.
std::string marks_lines(const Trace& trace, const AttentionMap& map, const CellGrid& grid, const TerminalOptions& options) {
  std::string lines;
  if (!grid.marks.empty()) {
    const Panel panel{.n_rows = map.n_query, .n_columns = map.n_key, .values = grid.values};
    lines += prose_line("marked: " + marks_remark(grid.marks, panel), options);
  }
  if (grid.sink) {
    const auto largest = largest_column(trace);
    lines += prose_line(fmt::format("sink {} is left out of the scale: {:.0f}% of all {}", token_label(trace.keys[*grid.sink]),
                                    100 * (largest ? largest->share : 0), trace.value.noun()),
                        options);
  }
  return lines;
}

// The rows of one query alone.
Trace row_trace(const Trace& trace, const ChosenQuery& query) {
  Trace rows = without_maps(trace);
  rows.keys = trace.keys;
  rows.queries.assign(trace.queries.begin() + static_cast<std::ptrdiff_t>(query.rows.begin),
                      trace.queries.begin() + static_cast<std::ptrdiff_t>(query.rows.end));
  rows.focus = query.name;
  for (const AttentionMap& map : trace.maps) {
    AttentionMap part{map.site, map.layer, map.head, query.rows.size(), map.n_key, {}};
    part.pattern.assign(map.pattern.begin() + static_cast<std::ptrdiff_t>(query.rows.begin * map.n_key),
                        map.pattern.begin() + static_cast<std::ptrdiff_t>(query.rows.end * map.n_key));
    rows.maps.push_back(std::move(part));
  }
  return rows;
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// "layer 3  head 1", "layer 3  mean of heads 0,1,2".
std::string what_of(const Trace& trace, const AttentionMap& map) {
  if (!trace.reduced) return fmt::format("layer {}  head {}", map.layer, map.head);
  const Reduction& reduced = *trace.reduced;
  const std::string_view by = reduce_by_name(reduced.by);
  if (!reduced.over_layers) return fmt::format("layer {}  {} of {} heads", map.layer, by, reduced.heads.size());
  if (!reduced.over_heads) return fmt::format("head {}  {} of {} layers", map.head, by, reduced.layers.size());
  return fmt::format("{} of {} layers and {} heads", by, reduced.layers.size(), reduced.heads.size());
}

std::string render_map(const Trace& trace, const AttentionMap& map, const TerminalOptions& options) {
  CellGrid grid;
  grid.rows = row_labels(trace);
  grid.columns = column_labels(trace);
  grid.values.assign(map.pattern.begin(), map.pattern.end());
  grid.value = trace.value;
  for (const LinkSpan& link : options.figure.marks.links) grid.marks.push_back(cell_mark(trace, link));
  if (options.figure.hide_sink) {
    const auto largest = largest_column(trace);
    if (largest && largest->is_sink()) grid.sink = largest->column;
  }
  grid.scale = scale_of(grid, options.style);
  const std::size_t n_blocks = n_grid_blocks(grid, options.columns);
  const bool cells_fit = n_blocks > 0 && n_blocks <= (trace.pool ? 1 : kMaxBlocks);
  const bool few_rows = !trace.pool || map.n_query <= kMostPooledRows;  // the links of 512 tiles are too many to read
  const bool every_row = few_rows && (!cells_fit || options.colour == ColourDepth::kNone);
  const std::size_t width = cells_fit ? grid_width(grid, options.columns) : options.columns;

  std::string text = header(trace.model.name, what_of(trace, map), "rows attend to columns", width, options);
  text += notes_line(trace, options) + "\n";
  if (!trace.focus.empty()) {
    if (cells_fit)
      text +=
          draw_grid(grid, options) + draw_legend(grid.scale, grid.value, options) + marks_lines(trace, map, grid, options) + "\n";
    return text + draw_focus(trace, map, options);
  }
  if (cells_fit) {
    text += draw_grid(grid, options) + draw_legend(grid.scale, grid.value, options) + marks_lines(trace, map, grid, options) + "\n";
  } else {
    text += prose_line(fmt::format("{} {} do not fit {} columns; the strongest links of {}:", map.n_key,
                                   trace.pool ? "tiles" : "tokens", options.columns, every_row ? "every row" : "some rows"),
                       options, kDim);
    text += marks_lines(trace, map, grid, options);
  }
  const std::vector<std::size_t> rows = every_row ? all_rows(map.n_query) : telling_rows(trace, map, kTellingRows);
  return text + draw_row_links(trace, map, rows, options);
}

// Layers down, heads across: the weight of each head's strongest content link.
CellGrid head_grid(const Trace& trace, const Style& style) {
  std::set<std::size_t> layers;
  std::set<std::size_t> heads;
  for (const AttentionMap& map : trace.maps) layers.insert(map.layer), heads.insert(map.head);
  const bool layers_are_one = trace.reduced && trace.reduced->over_layers;
  const bool heads_are_one = trace.reduced && trace.reduced->over_heads;
  const std::string by = trace.reduced ? std::string(reduce_by_name(trace.reduced->by)) : "";
  CellGrid grid;
  for (const std::size_t layer : layers)
    grid.rows.push_back({TerminalText::prose(layers_are_one ? by : fmt::format("layer {}", layer)), {}});
  for (const std::size_t head : heads) grid.columns.push_back({TerminalText(heads_are_one ? by : fmt::format("H{}", head)), {}});
  grid.values.resize(layers.size() * heads.size());
  for (const AttentionMap& map : trace.maps) {
    const auto row = static_cast<std::size_t>(std::distance(layers.begin(), layers.find(map.layer)));
    const auto column = static_cast<std::size_t>(std::distance(heads.begin(), heads.find(map.head)));
    const auto link = strongest_content_link(trace, map);
    grid.values[row * heads.size() + column] = link ? link->weight : 0;
  }
  grid.value = trace.value;
  grid.scale = scale_of(grid, style);
  return grid;
}

std::string render_overview(const Trace& trace, const TerminalOptions& options) {
  const CellGrid grid = head_grid(trace, options.style);
  const bool cells_fit = n_grid_blocks(grid, options.columns) == 1 && grid.rows.size() <= kMaxGridRows;
  const std::vector<Link> links = strongest_content_links(trace, kOverviewLinks);
  std::string text = header(trace.model.name,
                            trace.reduced ? fmt::format("{} maps", trace.maps.size()) : fmt::format("{} heads", trace.maps.size()),
                            trace.reduced ? "strongest link of each" : "strongest link of each head", 0, options);
  text += prose_line("from one word to another; special tokens and self-links do not count", options, kDim);
  text += notes_line(trace, options) + "\n";
  if (cells_fit) text += draw_grid(grid, options) + draw_legend(grid.scale, grid.value, options) + "\n";
  if (links.empty()) return text + prose_line("no head links one word to another here", options);
  return text + draw_link_table(trace, links, options);
}

}  // namespace

std::string render_terminal(const Trace& trace, const TerminalOptions& wanted) {
  TerminalOptions options = wanted;
  options.columns = std::max(options.columns, kMinTerminalColumns);
  if (trace.maps.empty()) return prose_line(trace.model.name + "  no maps", options);
  const ViewSpec& view = view_spec(options.figure.view);
  if (trace.maps.size() == 1 && view.of_one_query && trace.focus.empty()) {
    const Trace rows = row_trace(trace, choose_query(trace, options.figure.marks));
    options.figure.marks.links.clear();  // they are in the list, or of other queries
    options.figure.hide_sink = false;
    return render_map(rows, rows.maps[0], options);
  }
  if (trace.maps.size() == 1 && !view.is_overview) return render_map(trace, trace.maps[0], options);
  return render_overview(trace, options);
}

}  // namespace attnviz
