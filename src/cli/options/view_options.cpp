// See view_options.h.
#include "cli/options/view_options.h"

#include <attnviz/error.h>

#include <array>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/word_list.h"
#include "figure/view_registry.h"
#include "trace/reduce.h"

namespace attnviz {
namespace {

template <class Value>
struct Name {
  const char* name;
  Value value;
};

constexpr auto kReduceBy = std::to_array<Name<ReduceBy>>({{"mean", ReduceBy::kMean}, {"max", ReduceBy::kMax}});
constexpr auto kReduceOver =
    std::to_array<Name<ReduceOver>>({{"heads", ReduceOver::kHeads}, {"layers", ReduceOver::kLayers}, {"all", ReduceOver::kAll}});

// The value that an option's word names. Throws Error(kUsage) with the nearest known word.
template <class Value, std::size_t N>
Value named(std::string_view option, const std::string& word, const std::array<Name<Value>, N>& names) {
  std::vector<std::string> known;
  for (const Name<Value>& entry : names) {
    if (word == entry.name) return entry.value;
    known.emplace_back(entry.name);
  }
  refuse_word(option, word, known);
}

FigureView parse_view(const std::string& name) {
  const auto view = find_view(name);
  if (!view) refuse_word("--view", name, view_names());
  return *view;
}

// "lines, row or text": the views for which `counts` is true, each with its help in parentheses if `with_help`.
template <typename Counts>
std::string listed_views(Counts counts, bool with_help) {
  std::vector<std::string> words;
  for (const ViewSpec& spec : view_specs()) {
    if (!counts(spec)) continue;
    words.push_back(with_help && !spec.help.empty() ? fmt::format("{} ({})", spec.name, spec.help) : std::string(spec.name));
  }
  return list_with_or(words);
}

}  // namespace

void add_view_options(CLI::App& app, ViewOptions& options) {
  app.add_option("--view", options.view, "view: " + listed_views([](const ViewSpec&) { return true; }, true))->option_text("VIEW");
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
  FigureOptions figure{.hide_sink = options.hide_sink};
  if (options.row) figure.view = FigureView::kRow;
  if (options.view) figure.view = parse_view(*options.view);
  if (options.row && !view_spec(figure.view).takes_query) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--row: has no effect with --view {}; try --view {}, or --focus for the word's rows as a map",
                            *options.view, listed_views([](const ViewSpec& spec) { return spec.takes_query; }, false)));
  }
  return figure;
}

MarkWords mark_words(const ViewOptions& options) {
  MarkWords words{.row = options.row};
  for (const std::string& list : options.highlights) {
    for (std::string& link : split_links(list)) {
      if (link.find(':') == std::string::npos) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("--highlight {}: is not a link; expected two words with a colon between, as in it:animal", link));
      }
      words.links.push_back(std::move(link));
    }
  }
  return words;
}

bool needs_one_query(const FigureOptions& options, const MarkWords& words) {
  return words.row && view_spec(options.view).of_one_query && !options.hide_sink;
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
