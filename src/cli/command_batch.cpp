// attnviz batch FILE -o FOLDER: one file a line and head. A bad line never costs the others. Tested in tests/cli.
//
// Lines go through the model in ragged batches of bounded size; a line that cannot be encoded is reported with its number.
#include <attnviz/error.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/quote.h"
#include "pipeline/spans.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxBatchTokens = 2048;                   // keeps activations of one batch small
constexpr std::size_t kMaxBatchWeights = std::size_t{1} << 25;  // and its maps: 128 MiB, unless one line has more

struct BatchOptions {
  std::string file;
  std::string folder;
  std::string format = "png";
  bool quiet = false;
  ModelOptions model;
  SelectionOptions selection;
  TextOptions text;
  StyleOptions style;
};

struct Line {
  std::size_t number = 0;  // from 1
  EncodedText encoded;
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

class BatchRun {
 public:
  BatchRun(const BatchOptions& options, const CommandContext& context)
      : options_(options),
        style_(make_style(options.style)),
        format_(parse_format(options.format)),
        command_(quoted_command(context.arguments, options.format) + " -o " + shell_quote(options.folder)) {}

  int run() {
    check_selection_options(options_.selection);
    const std::string text = options_.file == "-" ? read_descriptor(STDIN_FILENO, kMaxInputBytes)
                                                  : read_text_file(options_.file, kMaxInputBytes, ErrorKind::kInput);
    const std::vector<std::string> lines = split_lines(text);
    if (lines.empty()) throw Error(ErrorKind::kInput, fmt::format("{}: is empty; expected one text a line", options_.file));
    loaded_ = open_model(resolve_model(shared_folder(), options_.model.model));
    request_ = make_request(options_.selection, loaded_.info);
    pool_ = std::make_unique<ThreadPool>(options_.model.threads);
    make_folder();
    for (std::size_t i = 0; i < lines.size(); ++i) add_line(i + 1, lines[i]);
    flush();
    print_summary(lines.size());
    return n_failed_ == 0 ? 0 : exit_code(ErrorKind::kInput);
  }

 private:
  void make_folder() {
    std::error_code failed;
    std::filesystem::create_directories(options_.folder, failed);
    if (!std::filesystem::is_directory(options_.folder)) {
      throw Error(ErrorKind::kOutput,
                  fmt::format("{}: cannot be made: {}", options_.folder, failed ? failed.message() : "is a file"));
    }
  }

  void add_line(std::size_t number, const std::string& text) {
    try {
      EncodedText encoded = encode_text(loaded_, {text, std::nullopt}, make_runner_options(options_.text));
      if (encoded.n_cut > 0 && !options_.quiet)
        print_note(fmt::format("line {}: cut, the last {} tokens are left out", number, encoded.n_cut));
      const std::size_t n_token = encoded.tokens.size();
      const std::size_t n_weight = count_weights(n_token);
      if (n_pending_token_ + n_token > kMaxBatchTokens || n_pending_weight_ + n_weight > kMaxBatchWeights) flush();
      n_pending_token_ += n_token;
      n_pending_weight_ += n_weight;
      pending_.push_back({number, std::move(encoded)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      ++n_failed_;
      print_note(fmt::format("{}: line {}: {}", options_.file, number, error.what()));
    }
  }

  // Of all maps of a line; throws Error(kInput) where they are more than can be kept.
  std::size_t count_weights(std::size_t n_token) const {
    const std::size_t n_map = request_.layers.size() * request_.heads.size();
    try {
      check_map_size(shape_map({}, n_token), n_map);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{} (a batch keeps whole maps; --pool and the like are for one text)", error.what()));
    }
    return n_token * n_token * n_map;
  }

  void flush() {
    if (pending_.empty()) return;
    std::vector<EncodedText> texts;
    for (Line& line : pending_) texts.push_back(std::move(line.encoded));
    std::vector<Trace> traces = run_texts(*pool_, loaded_, texts, request_);
    for (std::size_t i = 0; i < traces.size(); ++i) write_maps(pending_[i].number, std::move(traces[i]));
    pending_.clear();
    n_pending_token_ = 0;
    n_pending_weight_ = 0;
  }

  void write_maps(std::size_t number, Trace trace) {
    trace.command = command_;
    trace = apply_text_view(std::move(trace), options_.text);
    std::vector<AttentionMap> maps = std::move(trace.maps);
    for (AttentionMap& map : maps) {
      const std::string name = fmt::format("{:06}-L{:02}-H{:02}.{}", number, map.layer, map.head, format_extension(format_));
      trace.maps.clear();
      trace.maps.push_back(std::move(map));
      write_trace(trace, style_, {format_, (std::filesystem::path(options_.folder) / name).string()});
      ++n_file_;
    }
  }

  void print_summary(std::size_t n_line) const {
    if (options_.quiet) return;
    print_note(fmt::format("{} of {} lines done, {} files in {}", n_line - n_failed_, n_line, n_file_, options_.folder));
  }

  const BatchOptions& options_;
  Style style_;
  OutputFormat format_;
  std::string command_;
  LoadedModel loaded_;
  Request request_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<Line> pending_;
  std::size_t n_pending_token_ = 0;
  std::size_t n_pending_weight_ = 0;
  std::size_t n_failed_ = 0;
  std::size_t n_file_ = 0;
};

}  // namespace

CommandRun declare_batch(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  app.add_option("FILE", options->file, "one text a line, UTF-8; - for standard input")->required()->option_text("FILE");
  app.add_option("-o,--output", options->folder, "folder for the files, made if missing")->required()->option_text("FOLDER");
  app.add_option("-f,--format", options->format, "png, json, csv or term")->option_text("FORMAT")->default_str("png");
  app.add_flag("-q,--quiet", options->quiet, "no notes on stderr but errors");
  add_selection_options(app, options->selection);
  add_model_options(app, options->model);
  add_text_options(app, options->text);
  add_style_options(app, options->style);
  return [options](const CommandContext& context) { return BatchRun(*options, context).run(); };
}

}  // namespace attnviz
