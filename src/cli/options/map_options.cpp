// See map_options.h.
#include "cli/options/map_options.h"

#include <attnviz/error.h>

#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/limits.h"
#include "base/setting_error.h"
#include "cli/options/setting_options.h"
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

MapChoice choose_among(const MapOptions& options, const MapAxes& axes) {
  MapChoice choice;
  if (options.rows) choice.rows = find_span(*options.rows, {Setting::kRows, axes.queries, axes.texts});
  if (options.columns) choice.columns = find_span(*options.columns, {Setting::kColumns, axes.keys, axes.texts});
  if (options.focus) choice.rows = find_word(*options.focus, {options.focus_setting, axes.queries, axes.texts});
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
    throw Error(ErrorKind::kUsage, fmt::format("{}: conflicts with --rows, which also chooses the rows; leave one out",
                                               option_of(options.focus_setting)));
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
  const std::vector<std::string> texts = texts_of(encoded.input);
  return choose_among(options, {encoded.tokens, encoded.tokens, texts});
}

MapChoice choose_map(const MapOptions& options, const Trace& trace) { return choose_among(options, axes_of(trace)); }

std::string focus_name(const MapOptions& options, const Trace& trace) {
  if (!options.focus) return "";
  const bool by_place = options.focus->starts_with('@') && !trace.queries.empty();
  return by_place ? token_label(trace.queries.front()) : *options.focus;
}

}  // namespace attnviz
