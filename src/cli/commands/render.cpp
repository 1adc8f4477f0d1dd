// attnviz render FILE: draw or write existing maps from any tool, as show does with those of a text and through the same functions.
// Tested in tests/cli/test_render.py.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/figure_choice.h"
#include "cli/options/map_input.h"
#include "cli/options/map_options.h"
#include "cli/options/options.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/timings.h"
#include "figure/build.h"
#include "formats/maps/map_checks.h"
#include "render/page/page.h"
#include "render/picture/png.h"
#include "trace/part.h"

namespace attnviz {
namespace {

struct RenderOptions {
  MapInputOptions input;
  SelectionOptions selection;
  OutputOptions output;
  TextOptions text;
  MapOptions map;
  ReduceOptions reduce;
  StyleOptions style;
  bool timings = false;
};

bool has_positions(const std::vector<Token>& tokens) { return !tokens.empty() && tokens.front().position.has_value(); }

[[noreturn]] void refuse(std::string_view option, const std::string& where, std::string_view why) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {} {}", option, where, why));
}

// Whether the file holds a part of its maps, tiles or words, or lacks special tokens: its list of tokens is then not the text's.
bool has_lost_tokens(const Trace& trace) {
  return has_positions(trace.queries) || has_positions(trace.keys) || trace.words_merged || trace.special_hidden;
}

// Refuses options that need the tokens a file has lost: only its text has them.
void check_view(const RenderOptions& options, const MapFile& file) {
  const Trace& trace = file.trace;
  const std::string where = input_name(options.input);
  const char* option = options.map.rows      ? "--rows"
                       : options.map.columns ? "--cols"
                       : options.map.focus   ? "--focus"
                       : options.map.pool    ? "--pool"
                                             : nullptr;
  constexpr std::string_view kFromText = "; ask for it when the maps are made from their text";
  if (option != nullptr && has_lost_tokens(trace)) {
    const bool part = has_positions(trace.queries) || has_positions(trace.keys);
    refuse(option, where,
           fmt::format("{} already{}",
                       part ? "holds a part of its maps, or tiles of them," : "holds words, or has lost its special tokens,",
                       kFromText));
  }
  const char* view = options.text.words ? "--words" : options.text.hide_special ? "--hide-special" : nullptr;
  if (view != nullptr && file.plain) {
    refuse(view, where, "holds plain numbers, which do not tell which pieces form words or which tokens are special");
  }
  if (view != nullptr && trace.pool) refuse(view, where, fmt::format("holds tiles, which are made of tokens{}", kFromText));
}

// "layer 0, head 1, row 2, column 3": the first bad cell, accepted because of --force.
std::optional<std::string> find_bad_cell(const Trace& trace) {
  for (const AttentionMap& map : trace.maps) {
    const auto bad = std::find_if(map.pattern.begin(), map.pattern.end(), [](float value) { return std::isnan(value); });
    if (bad == map.pattern.end()) continue;
    const auto place = static_cast<std::size_t>(bad - map.pattern.begin());
    return fmt::format("layer {}, head {}, row {}, column {}", map.layer, map.head, place / map.n_key, place % map.n_key);
  }
  return std::nullopt;
}

void check_tiles(const Trace& trace) {
  const auto bad = find_bad_cell(trace);
  if (bad)
    throw Error(ErrorKind::kInput, fmt::format("--pool: {} is not a valid weight and cannot be pooled; leave --pool out", *bad));
}

// Values that are not numbers can be drawn, but numeric formats cannot represent them.
void check_writable_numbers(const Trace& trace, OutputFormat format) {
  const bool numbers = format_spec(format).kind == FormatKind::kNumbers;
  const auto bad = numbers ? find_bad_cell(trace) : std::nullopt;
  if (!bad) return;
  throw Error(ErrorKind::kInput, fmt::format("-f {}: {} is not a valid weight, which numeric formats cannot represent; try -f png",
                                             format_spec(format).name, *bad));
}

TextOptions views_not_done(TextOptions text, const Trace& trace) {
  text.words = text.words && !trace.words_merged;
  text.hide_special = text.hide_special && !trace.special_hidden;
  return text;
}

// Everything that is done to a trace before it is written. Throws Error(kInput) for a page that a browser could not hold.
Trace view_trace(Trace whole, const RenderOptions& options, const MarkWords& words, OutputFormat format, PictureOptions* picture) {
  const MapChoice choice = choose_map(options.map, whole);
  const std::optional<Marks> marks = marks_of_whole(words, axes_of(whole), choice);
  Trace trace = take_part(std::move(whole), choice);
  if (options.map.focus) trace.focus = focus_name(options.map, trace);
  if (is_page(format) && !options.reduce.by) {
    check_page_maps({trace.queries.size(), trace.keys.size(), trace.maps.size(), options.style.exact});
  }
  const TextOptions text = views_not_done(options.text, trace);
  const TraceViews views{text, options.reduce};
  picture->page = page_views(picture->page, views, format);
  trace = apply_views(std::move(trace), views, picture->page);
  set_marks(words, marks, trace, &picture->figure);
  return trace;
}

int run_render(RenderOptions options, const CommandContext& context) {
  PictureOptions picture = make_picture_options(options.style);
  MarkWords words = mark_words(options.style.view);
  check_map_options(options.map, options.text);
  check_selection_options(options.selection);
  check_reduce_options(options.reduce);
  const OutputTarget target = choose_target(options.output);
  check_page_options(options.style, target.format);
  if (is_picture(target.format)) prepare_pictures(picture.style);
  Timings timings;
  Stopwatch watch;
  MapFile file = read_maps(options.input, options.selection);
  if (!options.output.quiet) {
    for (const std::string& remark : file.remarks) print_note(fmt::format("note: {}: {}", input_name(options.input), remark));
  }
  timings.add("read", watch.lap());
  check_view(options, file);
  if (!has_lost_tokens(file.trace)) focus_on_row(picture.figure, &options.map, &words);  // a part is shown as it is
  check_map_options(options.map, options.text);
  check_maps(&file, {input_name(options.input), options.input.force});
  if (options.map.pool > 0) check_tiles(file.trace);
  timings.add("check", watch.lap());

  Trace trace = view_trace(std::move(file.trace), options, words, target.format, &picture);
  record_command(context.typed, target.format, picture.page, &trace);
  check_writable_numbers(trace, target.format);
  if (format_spec(target.format).shows_colours() && !options.output.quiet) note_sink(trace, picture);
  timings.add("view", watch.lap());
  ThreadPool pool;
  write_and_report(trace, picture, target, &pool, &timings);
  if (options.timings) print_timings(timings);
  return 0;
}

}  // namespace

CommandRun declare_render(CLI::App& app) {
  auto options = std::make_shared<RenderOptions>();
  add_map_input_options(app, options->input);
  add_selection_options(app, options->selection);
  add_output_options(app, options->output);
  add_text_view_options(app, options->text);
  add_map_options(app, options->map);
  add_reduce_options(app, options->reduce);
  add_style_options(app, options->style);
  add_timings_option(app, options->timings);
  return [options](const CommandContext& context) { return run_render(*options, context); };
}

}  // namespace attnviz
