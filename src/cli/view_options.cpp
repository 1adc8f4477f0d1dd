// See view_options.h.
#include "cli/view_options.h"

#include <attnviz/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>

#include "base/suggest.h"
#include "figure/view.h"

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

}  // namespace

void add_reduce_options(CLI::App& app, ReduceOptions& options) {
  app.add_option("--reduce", options.by, "put the chosen heads and layers together into one map: mean or max")->option_text("BY");
  app.add_option("--reduce-over", options.over, "what --reduce puts together: heads, layers or all (the default)")
      ->option_text("WHAT");
}

void check_reduce_options(const ReduceOptions& options) {
  if (options.by) named("--reduce", *options.by, kReduceBy);
  if (options.over) named("--reduce-over", *options.over, kReduceOver);
  if (options.over && !options.by) {
    throw Error(ErrorKind::kUsage, "--reduce-over: has no meaning without --reduce; try --reduce mean with it");
  }
}

Trace apply_reduction(Trace trace, const ReduceOptions& options) {
  if (!options.by) return trace;
  return reduce_maps(trace, named("--reduce", *options.by, kReduceBy),
                     named("--reduce-over", options.over.value_or("all"), kReduceOver));
}

PageOptions page_views(PageOptions page, const ViewOptions& options, OutputFormat format) {
  const bool is_open = format == OutputFormat::kHtml && !options.reduce.by;
  page.words = is_open && options.text.words;
  page.hide_special = is_open && options.text.hide_special;
  return page;
}

Trace apply_views(Trace trace, const ViewOptions& options, const PageOptions& page) {
  TextOptions text = options.text;
  text.words = text.words && !page.words;
  text.hide_special = text.hide_special && !page.hide_special;
  return apply_reduction(apply_text_view(std::move(trace), text), options.reduce);
}

}  // namespace attnviz
