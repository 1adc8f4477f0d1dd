// attnviz TEXT [TEXT2], or attnviz show TEXT [TEXT2]: the chosen layers and heads of one text or pair. Tested in tests/cli.
#include <attnviz/error.h>

#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/figure_choice.h"
#include "cli/options/generate_options.h"
#include "cli/options/map_options.h"
#include "cli/options/options.h"
#include "cli/options/text_input.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/provenance.h"
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
  const MarkWords& words;
};

// A trace, and where its marks are in the whole text if it holds a part of it.
struct Traced {
  Trace trace;
  std::optional<Marks> marks;
};

std::size_t n_maps(const Request& request) { return request.layers.size() * request.heads.size(); }

// Throws Error(kInput) for maps that are too large to keep, or too large for a page.
void check_size(const Job& job, const MapShape& shape) {
  check_map_size(shape, n_maps(job.request));
  if (!is_page(job.format) || job.options.reduce.by) return;
  check_page_maps({shape.n_rows(), shape.n_columns(), n_maps(job.request), job.options.style.exact});
}

std::optional<Marks> marks_of_text(const Job& job, const MapChoice& choice, const EncodedText& encoded) {
  const std::vector<std::string> texts = texts_of(encoded.input);
  return marks_of_whole(job.words, {encoded.tokens, encoded.tokens, texts}, choice);
}

Traced trace_text(const Job& job, const EncodedText& encoded) {
  MapChoice choice = choose_map(job.options.map, encoded);
  choice.log_sums = is_page(job.format);  // a page shows scores
  check_size(job, shape_map(choice, encoded.tokens.size()));
  const std::optional<Marks> marks = marks_of_text(job, choice, encoded);
  return {std::move(run_texts(job.pool, job.loaded, {&encoded, 1}, job.request, choice).front()), marks};
}

Traced trace_continuation(const Job& job, const EncodedText& prompt) {
  const GenerateOptions options = make_generate_options(job.options.generation);
  const bool keeps_all = !job.options.map.rows && !job.options.map.columns && !job.options.map.focus;
  if (keeps_all) {  // check before the long work; the words of parts may not exist yet
    const MapChoice choice = choose_map(job.options.map, prompt);
    check_size(job, shape_map(choice, prompt.tokens.size() + options.n_tokens));
  }
  const GeneratedText generated = generate_text(job.pool, job.loaded, prompt, job.request, options);
  const MapChoice choice = choose_map(job.options.map, generated.text);
  check_size(job, shape_map(choice, generated.text.tokens.size()));
  const std::optional<Marks> marks = marks_of_text(job, choice, generated.text);
  Trace trace = trace_generated(job.pool, job.loaded, generated, job.request, choice);
  trace.notes.insert(trace.notes.begin(), generation_note(generated, options.sampling));
  return {std::move(trace), marks};
}

int run_show(ShowOptions options, const CommandContext& context) {
  check_input_options(options.input);
  check_generation_options(options.generation);
  PictureOptions picture = make_picture_options(options.style);
  MarkWords words = mark_words(options.style.view);
  focus_on_row(picture.figure, &options.map, &words);
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
  Request request = make_request(options.selection, loaded);
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
  const Job job{options, target.format, loaded, request, pool, words};
  auto [trace, marks] = options.generation.n_tokens > 0 ? trace_continuation(job, encoded) : trace_text(job, encoded);
  trace.focus = focus_name(options.map, trace);
  record_command(context.typed, target.format, picture.page, &trace);
  trace = apply_views(std::move(trace), {options.text, options.reduce}, picture.page);
  set_marks(words, marks, trace, &picture.figure);
  if (format_spec(target.format).shows_colours() && !options.output.quiet) note_sink(trace, picture);
  add_run(stages, watch.lap(), &timings);
  write_and_report(trace, picture, target, &pool, &timings);
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
    options->input.dash_is_text = spells_dash_as_text(context.typed);
    return run_show(*options, context);
  };
}

}  // namespace attnviz
