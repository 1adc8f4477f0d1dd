// attnviz batch FILE -o FOLDER: one file per line and head; attnviz batch FILE -f jsonl: one line of JSON per line. A bad line
// does not affect the others. Tested in tests/cli/test_batch.py.
//
// Lines go through the model in ragged batches of bounded size, and their results are drawn and written in
// parallel (batch_output.h). A bad line is reported in its place, with its number.
#include <attnviz/error.h>

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/batch_output.h"
#include "cli/commands/commands.h"
#include "cli/font_warning.h"
#include "cli/options/figure_choice.h"
#include "cli/options/options.h"
#include "cli/options/setting_options.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/timings.h"
#include "figure/build.h"
#include "render/page/page.h"
#include "trace/spans.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxBatchLines = 1024;
constexpr std::size_t kMaxBatchTokens = 2048;                   // keeps activations of one batch small
constexpr std::size_t kMaxBatchWeights = std::size_t{1} << 25;  // and limits its maps to 128 MiB, unless one line has more

struct BatchOptions {
  std::string file;
  std::string output;  // a folder; for JSONL a file or stdout
  std::string format;  // empty: by the output's extension
  bool quiet = false;
  bool timings = false;
  ModelOptions model;
  SelectionOptions selection;
  TextOptions text;
  ReduceOptions reduce;
  StyleOptions style;
};

struct Line {
  std::size_t number = 0;  // from 1
  std::optional<EncodedText> encoded{};
  std::size_t n_weight = 0;  // of all its maps
  std::string error{};       // if it could not be encoded
};

// The file's lines without their endings (\n or \r\n); a byte order mark is not part of the text.
std::vector<std::string> split_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Pictures in a folder, or lines of JSON if the output's extension says so.
OutputFormat format_of(const BatchOptions& options) {
  if (!options.format.empty()) return parse_format(options.format);
  const auto format = find_format_of_path(options.output);
  return format && format_spec(*format).joins_results ? *format : OutputFormat::kPng;
}

class BatchRun {
 public:
  BatchRun(const BatchOptions& options, const CommandContext& context)
      : options_(options), text_view_(options.text), typed_(context.typed) {
    output_options_.format = format_of(options);
    output_options_.picture = make_picture_options(options.style);
    check_page_options(options.style, output_options_.format);
    PageOptions& page = output_options_.picture.page;
    page = page_views(page, {options.text, options.reduce}, output_options_.format);
    const bool to_stdout = options.output.empty() || options.output == "-";
    if (to_stdout && !format_spec(output_options_.format).joins_results) {
      throw Error(ErrorKind::kUsage,
                  "command line: -o FOLDER is required, for the files; or -f jsonl for lines; try attnviz batch --help");
    }
    if (!to_stdout) output_options_.place = options.output;
    words_ = mark_words(options.style.view);
    provenance_ = provenance_of(typed_, output_options_.format);
    if (!to_stdout) {  // the files' names are made by the program, so their folder belongs to the command
      provenance_.made_by.parts.push_back({.option = "output", .value = options.output, .words = {"-o", options.output}});
    }
  }

  int run() {
    check_selection_options(options_.selection);
    check_reduce_options(options_.reduce);
    const std::string text = options_.file == "-" ? read_descriptor(STDIN_FILENO, kMaxInputBytes)
                                                  : read_text_file(options_.file, kMaxInputBytes, ErrorKind::kInput);
    const std::vector<std::string> lines = split_lines(text);
    if (lines.empty()) throw Error(ErrorKind::kInput, fmt::format("{}: is empty; expected one text per line", options_.file));
    Stopwatch watch;
    loaded_ = open_wanted_model(options_.model.model);
    request_ = make_request(options_.selection, loaded_);
    pool_ = std::make_unique<ThreadPool>(options_.model.threads);
    output_ = make_batch_output(output_options_, *pool_);
    timings_.add("load", watch.lap());
    for (std::size_t i = 0; i < lines.size() && open_; ++i) add_line(i + 1, lines[i]);
    flush();
    output_->finish();
    report(lines.size());
    return n_failed_ == 0 ? 0 : exit_code(ErrorKind::kInput);
  }

 private:
  void add_line(std::size_t number, const std::string& text) {
    const Stopwatch watch;
    Line line{.number = number};
    try {
      line.encoded = encode_text(loaded_, {text, std::nullopt}, make_runner_options(options_.text));
      line.n_weight = count_weights(line.encoded->tokens.size());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      line.encoded.reset();
      line.error = message_of(error);
    }
    timings_.add("tokenize", watch.seconds());
    const std::size_t n_token = line.encoded ? line.encoded->tokens.size() : 0;
    if (n_pending_token_ + n_token > kMaxBatchTokens || n_pending_weight_ + line.n_weight > kMaxBatchWeights ||
        pending_.size() == kMaxBatchLines) {
      flush();
    }
    n_pending_token_ += n_token;
    n_pending_weight_ += line.n_weight;
    pending_.push_back(std::move(line));
  }

  // The weights of all maps of a line. Throws Error(kInput) if they are more than can be kept.
  std::size_t count_weights(std::size_t n_token) const {
    const std::size_t n_map = request_.layers.size() * request_.heads.size();
    try {
      check_map_size(shape_map({}, n_token), n_map);
      if (is_page(output_options_.format) && !options_.reduce.by) {
        check_page_maps({n_token, n_token, n_map, options_.style.exact});
      }
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{} (a batch keeps whole maps; --pool and the like are for one text)", message_of(error)));
    }
    return n_token * n_token * n_map;
  }

  void flush() {
    if (pending_.empty()) return;
    std::vector<BatchItem> items = run_pending();
    pending_.clear();
    n_pending_token_ = 0;
    n_pending_weight_ = 0;
    for (const BatchItem& item : items) print_about(item);
    open_ = output_->write(items);
  }

  void print_about(const BatchItem& item) {
    if (item.n_cut > 0 && !options_.quiet) {
      print_note(fmt::format("line {}: cut; the last {} tokens are left out", item.number, item.n_cut));
    }
    if (item.trace) return;
    ++n_failed_;
    print_note(fmt::format("{}: line {}: {}", options_.file, item.number, item.error));
  }

  // Runs the model and applies the views for all pending lines; errors stay with their lines.
  std::vector<BatchItem> run_pending() {
    const Stopwatch watch;
    std::vector<EncodedText> texts;
    for (Line& line : pending_) {
      if (line.encoded) texts.push_back(std::move(*line.encoded));
    }
    std::vector<Trace> traces;
    StageTimes stages;
    request_.times = &stages;
    if (!texts.empty()) traces = run_texts(*pool_, loaded_, texts, request_);
    request_.times = nullptr;
    std::vector<BatchItem> items;
    std::size_t next = 0;
    for (Line& line : pending_) {
      items.push_back({.number = line.number, .error = std::move(line.error)});
      if (!line.encoded) continue;
      items.back().n_cut = texts[next].n_cut;
      traces[next].provenance = provenance_;
      if (is_page(output_options_.format)) {
        traces[next].provenance.redraw_by = redraw_by(typed_, traces[next], output_options_.picture.page);
      }
      items.back().trace = std::move(traces[next++]);
    }
    pool_->run(items.size(), [&](std::size_t i, std::size_t) { view(&items[i]); });
    add_run(stages, watch.seconds(), &timings_);
    return items;
  }

  // A line may have only special tokens, which --hide-special hides, or lack a word to be marked. That is an error of this line
  // only.
  void view(BatchItem* item) const {
    if (!item->trace) return;
    try {
      item->trace = apply_views(std::move(*item->trace), {text_view_, options_.reduce}, output_options_.picture.page);
      FigureOptions figure = output_options_.picture.figure;
      set_marks(words_, std::nullopt, *item->trace, &figure);
      item->marks = std::move(figure.marks);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      item->trace.reset();
      item->error = message_of(error);
    }
  }

  void report(std::size_t n_line) {
    timings_.add("render", output_->times().render);
    timings_.add("write", output_->times().write);
    const std::string warning = font_warning(output_->times().notes);
    if (!options_.quiet && !warning.empty()) print_note(warning);
    if (!options_.quiet) print_note(fmt::format("{} of {} lines done, {}", n_line - n_failed_, n_line, output_->summary()));
    if (options_.timings) print_timings(timings_);
  }

  const BatchOptions& options_;
  const TextOptions& text_view_;
  BatchOutputOptions output_options_;
  const CommandLine& typed_;
  MarkWords words_;
  Provenance provenance_;
  LoadedModel loaded_;
  Request request_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<BatchOutput> output_;
  Timings timings_;
  std::vector<Line> pending_;
  std::size_t n_pending_token_ = 0;
  std::size_t n_pending_weight_ = 0;
  std::size_t n_failed_ = 0;
  bool open_ = true;  // false once the reader of the output has gone away
};

}  // namespace

CommandRun declare_batch(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  app.add_option("FILE", options->file, "UTF-8 file with one text per line; - for standard input")->required()->option_text("FILE");
  app.add_option("-o,--output", options->output,
                 "output folder, created if missing; with -f jsonl a file, or stdout for - or by default")
      ->option_text("FOLDER");
  app.add_option("-f,--format", options->format, format_help(&FormatSpec::in_batch))->option_text("FORMAT")->default_str("png");
  app.add_flag("-q,--quiet", options->quiet, "print no notes on stderr but errors");
  add_timings_option(app, options->timings);
  add_selection_options(app, options->selection);
  add_model_options(app, options->model);
  add_text_options(app, options->text);
  add_reduce_options(app, options->reduce);
  add_style_options(app, options->style);
  return [options](const CommandContext& context) { return BatchRun(*options, context).run(); };
}

}  // namespace attnviz
