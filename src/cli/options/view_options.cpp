// See view_options.h.
#include "cli/options/view_options.h"

#include <attnviz/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>

#include "base/quote.h"
#include "base/suggest.h"
#include "figure/marks.h"
#include "trace/reshape.h"

namespace attnviz {
namespace {

template <class Value>
struct Name {
  const char* name;
  Value value;
};

constexpr auto kViews = std::to_array<Name<FigureView>>({{"map", FigureView::kMap},
                                                         {"grid", FigureView::kGrid},
                                                         {"lines", FigureView::kLines},
                                                         {"row", FigureView::kRow},
                                                         {"text", FigureView::kText}});
constexpr auto kReduceBy = std::to_array<Name<ReduceBy>>({{"mean", ReduceBy::kMean}, {"max", ReduceBy::kMax}});
constexpr auto kReduceOver =
    std::to_array<Name<ReduceOver>>({{"heads", ReduceOver::kHeads}, {"layers", ReduceOver::kLayers}, {"all", ReduceOver::kAll}});

// What an option's word means; throws Error(kUsage) with the nearest of those it knows.
template <class Value, std::size_t N>
Value named(std::string_view option, const std::string& word, const std::array<Name<Value>, N>& names) {
  std::vector<std::string> known;
  for (const Name<Value>& entry : names) {
    if (word == entry.name) return entry.value;
    known.emplace_back(entry.name);
  }
  const auto close = closest_name(word, known);
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: is not known; {}expected one of: {}", option, word,
                                             close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(known, ", ")));
}

std::string index_of(TokenSpan word) {
  return word.size() == 1 ? fmt::format("@{}", word.begin) : fmt::format("@{}-@{}", word.begin, word.end - 1);
}

void check_shown(const std::string& link, std::string_view word, TokenSpan span, const std::optional<TokenSpan>& shown,
                 const char* what) {
  if (!shown || (span.begin >= shown->begin && span.end <= shown->end)) return;
  throw Error(ErrorKind::kInput,
              fmt::format("--highlight {}: {} is not among the {} that are shown, @{} to @{}; choose others, or show all",
                          quote_text(link), quote_text(word), what, shown->begin, shown->end - 1));
}

// The first colon with a known word on both sides.
std::string link_by_index(const std::string& link, const TokenNames& names, const ShownPart& part) {
  for (std::size_t colon = link.find(':'); colon != std::string::npos; colon = link.find(':', colon + 1)) {
    const auto from = try_find_word(link.substr(0, colon), names);
    const auto to = try_find_word(link.substr(colon + 1), names);
    if (!from || !to) continue;
    check_shown(link, link.substr(0, colon), *from, part.rows, "queries");
    check_shown(link, link.substr(colon + 1), *to, part.columns, "keys");
    return index_of(*from) + ":" + index_of(*to);
  }
  return link;  // what is wrong with it is said where it is looked up
}

}  // namespace

void add_view_options(CLI::App& app, ViewOptions& options) {
  app.add_option("--view", options.view, "view: map, grid (thumbnails), lines (queries left, keys right), row (bars) or text")
      ->option_text("VIEW");
  app.add_option("--row", options.row,
                 "query shown by the views row, text and lines: it, it#2 or @9; implies --view row by default. Row and text "
                 "compute only its rows, as --focus does, which shows them as a map")
      ->option_text("WORD");
  app.add_option("--highlight", options.highlights,
                 "mark a link in any view, as it:animal; separate several with commas, or repeat the option")
      ->option_text("FROM:TO")
      ->take_all();
  app.add_flag("--hide-sink", options.hide_sink, "exclude a key that takes most of most rows from the colour scale");
}

FigureOptions make_figure_options(const ViewOptions& options) {
  FigureOptions figure{.row = options.row, .hide_sink = options.hide_sink};
  if (options.row) figure.view = FigureView::kRow;
  if (options.view) figure.view = named("--view", *options.view, kViews);
  if (options.row && (figure.view == FigureView::kMap || figure.view == FigureView::kGrid)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--row: has no effect with --view {}; try --view row, text or lines, or --focus for the "
                            "word's rows as a map",
                            *options.view));
  }
  for (const std::string& list : options.highlights) {
    for (std::string& link : split_links(list)) {
      if (link.find(':') == std::string::npos) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("--highlight {}: is not a link; expected two words with a colon between, as in it:animal", link));
      }
      figure.highlights.push_back(std::move(link));
    }
  }
  return figure;
}

bool needs_one_query(const FigureOptions& options) {
  const bool of_one_row = options.view == FigureView::kRow || options.view == FigureView::kText;
  return options.row && of_one_row && !options.hide_sink;
}

void name_by_index(const TokenNames& names, const ShownPart& part, FigureOptions* options) {
  if (options->row) options->row = index_of(find_word(*options->row, names));
  for (std::string& link : options->highlights) link = link_by_index(link, names, part);
}

void add_reduce_options(CLI::App& app, ReduceOptions& options) {
  app.add_option("--reduce", options.by, "combine the chosen heads and layers into one map: mean or max")->option_text("BY");
  app.add_option("--reduce-over", options.over, "what --reduce combines: heads, layers or all (the default)")->option_text("WHAT");
}

void check_reduce_options(const ReduceOptions& options) {
  if (options.by) named("--reduce", *options.by, kReduceBy);
  if (options.over) named("--reduce-over", *options.over, kReduceOver);
  if (options.over && !options.by) {
    throw Error(ErrorKind::kUsage, "--reduce-over: has no effect without --reduce; add --reduce mean");
  }
}

Trace apply_reduction(Trace trace, const ReduceOptions& options) {
  if (!options.by) return trace;
  return reduce_maps(trace, named("--reduce", *options.by, kReduceBy),
                     named("--reduce-over", options.over.value_or("all"), kReduceOver));
}

}  // namespace attnviz
