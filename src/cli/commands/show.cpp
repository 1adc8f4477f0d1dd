// attnviz TEXT [TEXT2], or attnviz show TEXT [TEXT2]: the chosen layers and heads of one text or pair. Tested in tests/cli.
#include <attnviz/error.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/options/figure_choice.h"
#include "cli/options/generate_options.h"
#include "cli/options/map_options.h"
#include "cli/options/options.h"
#include "cli/options/text_input.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/quote.h"
#include "cli/timings.h"
#include "figure/build.h"
#include "render/page/page.h"
#include "render/picture/png.h"

namespace attnviz {
namespace {

struct ShowOptions {
  InputOptions input;
  MapOptions map;
  ModelOptions model;
  SelectionOptions selection;
  TextOptions text;
  GenerationOptions generation;
  OutputOptions output;
  ReduceOptions reduce;
  StyleOptions style;
  bool timings = false;
};

struct Job {
  const ShowOptions& options;
  OutputFormat format;
  const LoadedModel& loaded;
  const Request& request;
  ThreadPool& pool;
  FigureOptions& figure;
};

std::size_t n_maps(const Request& request) { return request.layers.size() * request.heads.size(); }

// Throws Error(kInput) for maps that are too large to be kept, or to be held by a page.
void check_size(const Job& job, const MapShape& shape) {
  check_map_size(shape, n_maps(job.request));
  if (!is_page(job.format) || job.options.reduce.by) return;
  check_page_maps({shape.n_rows(), shape.n_columns(), n_maps(job.request), job.options.style.exact});
}

// In a part of a text words are found by their places in the whole.
void name_parts(const Job& job, const MapChoice& choice, const EncodedText& encoded) {
  if (!choice.rows && !choice.columns && choice.pool == 0) return;
  std::vector<std::string> texts{encoded.input.text};
  if (encoded.input.text2) texts.push_back(*encoded.input.text2);
  name_by_index({"--row", encoded.tokens, texts}, {choice.rows, choice.columns}, &job.figure);
}

Trace trace_text(const Job& job, const EncodedText& encoded) {
  MapChoice choice = choose_map(job.options.map, encoded);
  choice.log_sums = is_page(job.format);  // a page tells the scores
  check_size(job, shape_map(choice, encoded.tokens.size()));
  name_parts(job, choice, encoded);
  return std::move(run_texts(job.pool, job.loaded, {&encoded, 1}, job.request, choice).front());
}

Trace trace_continuation(const Job& job, const EncodedText& prompt) {
  const GenerateOptions options = make_generate_options(job.options.generation);
  const bool keeps_all = !job.options.map.rows && !job.options.map.columns && !job.options.map.focus;
  if (keeps_all) {  // known before the long work; parts may be named by words that are yet to come
    const MapChoice choice = choose_map(job.options.map, prompt);
    check_size(job, shape_map(choice, prompt.tokens.size() + options.n_tokens));
  }
  const GeneratedText generated = generate_text(job.pool, job.loaded, prompt, job.request, options);
  const MapChoice choice = choose_map(job.options.map, generated.text);
  check_size(job, shape_map(choice, generated.text.tokens.size()));
  name_parts(job, choice, generated.text);
  Trace trace = trace_generated(job.pool, job.loaded, generated, job.request, choice);
  trace.notes.insert(trace.notes.begin(), generation_note(generated, options.sampling));
  return trace;
}

int run_show(ShowOptions options, const CommandContext& context) {
  check_input_options(options.input);
  check_generation_options(options.generation);
  PictureOptions picture = make_picture_options(options.style);
  focus_on_row(&options.map, &picture.figure);
  check_map_options(options.map, options.text);
  check_selection_options(options.selection);
  check_reduce_options(options.reduce);
  const OutputTarget target = choose_target(options.output);
  check_page_options(options.style, target.format);
  picture.page = page_views(picture.page, {options.text, options.reduce}, target.format);
  const TextInput input = read_input(options.input);
  if (is_picture(target.format) && options.model.threads != 1) prepare_pictures(picture.style);
  Timings timings;
  Stopwatch watch;
  const LoadedModel loaded = open_wanted_model(options.model.model);
  Request request = make_request(options.selection, loaded.info);
  StageTimes stages;
  request.times = &stages;
  timings.add("load", watch.lap());

  RunnerOptions runner = make_runner_options(options.text);
  runner.room = options.generation.n_tokens;
  const EncodedText encoded = encode_text(loaded, input, runner);
  if (encoded.n_cut > 0 && !options.output.quiet) {
    print_note(fmt::format("note: the text was cut to {} tokens; {} takes {}{}; the last {} are left out", encoded.tokens.size(),
                           loaded.info.name, loaded.model->config().first().max_tokens(),
                           runner.room > 0 ? fmt::format(", {} of them to be generated", runner.room) : "", encoded.n_cut));
  }

  timings.add("tokenize", watch.lap());

  ThreadPool pool(options.model.threads);
  const Job job{options, target.format, loaded, request, pool, picture.figure};
  Trace trace = options.generation.n_tokens > 0 ? trace_continuation(job, encoded) : trace_text(job, encoded);
  trace.focus = focus_name(options.map, trace);
  trace.command = quoted_command(context.arguments, format_spec(target.format).name);
  trace = apply_views(std::move(trace), {options.text, options.reduce}, picture.page);
  if (picture.figure.row || !picture.figure.highlights.empty()) check_figure(trace, picture.figure);
  if (format_spec(target.format).shows_colours() && !options.output.quiet) note_sink(trace, picture);
  add_run(stages, watch.lap(), &timings);
  const WriteTimes times = write_and_tell(trace, picture, target, &pool, options.output.quiet);
  timings.add("render", times.render);
  timings.add("write", times.write);
  if (options.timings) print_timings(timings);
  return 0;
}

}  // namespace

CommandRun declare_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  add_input_options(app, options->input);
  add_selection_options(app, options->selection);
  add_output_options(app, options->output);
  add_model_options(app, options->model);
  add_text_options(app, options->text);
  add_map_options(app, options->map);
  add_reduce_options(app, options->reduce);
  add_generation_options(app, options->generation);
  add_style_options(app, options->style);
  add_timings_option(app, options->timings);
  return [options](const CommandContext& context) {
    options->input.dash_is_text = spells_dash_as_text(context.arguments);
    return run_show(*options, context);
  };
}

}  // namespace attnviz
