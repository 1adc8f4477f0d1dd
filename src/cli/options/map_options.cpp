// See map_options.h.
#include "cli/options/map_options.h"

#include <attnviz/error.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <vector>

#include "base/limits.h"
#include "trace/label.h"
#include "trace/token_reference.h"

namespace attnviz {
namespace {

PoolBy parse_pool_by(const std::optional<std::string>& name) {
  for (const PoolBy by : {PoolBy::kMax, PoolBy::kMean}) {
    if (!name || *name == pool_by_name(by)) return by;
  }
  throw Error(ErrorKind::kUsage, fmt::format("--pool-by {}: is not known; expected one of: {}, {}", *name,
                                             pool_by_name(PoolBy::kMax), pool_by_name(PoolBy::kMean)));
}

// Both axes of a map, and what their tokens were made of.
struct Axes {
  std::span<const Token> queries;
  std::span<const Token> keys;
  std::span<const std::string> texts;
};

MapChoice choose_among(const MapOptions& options, const Axes& axes) {
  MapChoice choice;
  if (options.rows) choice.rows = find_span(*options.rows, {"--rows", axes.queries, axes.texts});
  if (options.columns) choice.columns = find_span(*options.columns, {"--cols", axes.keys, axes.texts});
  if (options.focus) choice.rows = find_word(*options.focus, {options.focus_option, axes.queries, axes.texts});
  choice.pool = options.pool;
  choice.by = parse_pool_by(options.pool_by);
  return choice;
}

}  // namespace

void add_map_options(CLI::App& app, MapOptions& options) {
  app.add_option("--rows", options.rows, "queries to show: tokens 10-20, words it-street, one of several it#2, one token @9")
      ->option_text("SPAN");
  app.add_option("--cols", options.columns, "keys to show; same syntax as --rows")->option_text("SPAN");
  app.add_option("--focus", options.focus, "show where one word looks: its rows over all keys")->option_text("WORD");
  app.add_option("--pool", options.pool, "pool maps of long texts into at most N x N tiles")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, kMostTilesOfSide));
  app.add_option("--pool-by", options.pool_by, "value of a tile: max (the default) or mean")->option_text("BY");
}

void check_map_options(const MapOptions& options, const TextOptions& text) {
  parse_pool_by(options.pool_by);
  if (options.focus && options.rows) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: conflicts with --rows, which also chooses the rows; leave one out", options.focus_option));
  }
  if (options.pool_by && options.pool == 0) {
    throw Error(ErrorKind::kUsage, "--pool-by: has no effect without --pool; add --pool 512");
  }
  if (options.pool > 0 && text.words) {
    throw Error(ErrorKind::kUsage, "--words: conflicts with --pool, whose tiles are made of tokens; leave one out");
  }
  if (options.pool > 0 && text.hide_special) {
    throw Error(
        ErrorKind::kUsage,
        "--hide-special: conflicts with --pool, whose tiles mix tokens; leave one out, or choose tokens with --rows and --cols");
  }
}

MapChoice choose_map(const MapOptions& options, const EncodedText& encoded) {
  std::vector<std::string> texts{encoded.input.text};
  if (encoded.input.text2) texts.push_back(*encoded.input.text2);
  return choose_among(options, {encoded.tokens, encoded.tokens, texts});
}

MapChoice choose_map(const MapOptions& options, const Trace& trace) {
  return choose_among(options, {trace.queries, trace.keys, trace.texts});
}

std::string focus_name(const MapOptions& options, const Trace& trace) {
  if (!options.focus) return "";
  const bool by_place = options.focus->starts_with('@') && !trace.queries.empty();
  return by_place ? token_label(trace.queries.front()) : *options.focus;
}

}  // namespace attnviz
