// attnviz bench: measure how fast a model runs, tokenizing included. Tested in tests/cli/test_bench.py, and its parts in
// tests/unit/cli/bench_*_test.cpp.
//
// Every run does what a picture of these layers and heads needs: the texts are tokenized, run as one batch, and all wanted maps are
// kept. Two runs warm up before the counted ones.
#include <attnviz/error.h>

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/memory_peak.h"
#include "cli/bench_report.h"
#include "cli/bench_text.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/timings.h"

namespace attnviz {
namespace {

constexpr std::size_t kWarmUpRuns = 2;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr std::size_t kUsualTokens = 512;

struct BenchOptions {
  std::string tokens;  // empty: 16, and 512 or the model's limit
  std::string batch = "1";
  std::string file;
  std::string format;
  std::size_t repeat = 10;
  ModelOptions model;
  SelectionOptions selection;
};

bool wants_json(const std::string& format) {
  if (format.empty()) return ::isatty(STDOUT_FILENO) != 1;
  if (format == "json" || format == "term") return format == "json";
  throw Error(ErrorKind::kUsage, fmt::format("-f {}: is not known here; expected json or term", format));
}

std::vector<std::size_t> token_counts(const BenchOptions& options, const LoadedModel& loaded) {
  const std::size_t limit = loaded.model->config().first().max_tokens();
  if (options.tokens.empty()) return {std::min<std::size_t>(16, limit), std::min(kUsualTokens, limit)};
  const std::vector<std::size_t> counts = parse_counts(options.tokens, "--tokens");
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  if (most > limit) {
    throw Error(ErrorKind::kUsage, fmt::format("--tokens {}: {} are too many; {} takes at most {} (special tokens included)",
                                               options.tokens, most, loaded.info.name, limit));
  }
  return counts;
}

struct BenchRun {
  const LoadedModel& loaded;
  const Request& request;
  ThreadPool& pool;
  std::size_t n_repeat;

  BenchResult measure(const BenchTexts& texts, std::size_t n_token, std::size_t batch) const {
    check_map_size(shape_map({}, n_token), request.layers.size() * request.heads.size());  // of one text, as show does
    std::vector<TextInput> inputs;
    for (std::size_t i = 0; i < batch; ++i) inputs.push_back({texts.make(n_token, i), std::nullopt});
    BenchResult result{.n_token = n_token, .batch = batch, .threads = pool.n_threads()};
    for (std::size_t i = 0; i < kWarmUpRuns; ++i) run_once(inputs);
    reset_memory_peak();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < n_repeat; ++i) {
      const Stopwatch watch;
      run_once(inputs);
      seconds.push_back(watch.seconds());
    }
    set_times(&result, seconds);
    result.peak_mb = memory_peak_mb();
    return result;
  }

 private:
  void run_once(const std::vector<TextInput>& inputs) const {
    std::vector<EncodedText> encoded;
    for (const TextInput& input : inputs) encoded.push_back(encode_text(loaded, input, {}));
    run_texts(pool, loaded, encoded, request);
  }
};

int run_bench(const BenchOptions& options) {
  const bool json = wants_json(options.format);
  const std::vector<std::size_t> batches = parse_counts(options.batch, "--batch");
  if (*std::max_element(batches.begin(), batches.end()) > kMostBenchBatch) {
    throw Error(ErrorKind::kUsage, fmt::format("--batch {}: expected at most {} texts", options.batch, kMostBenchBatch));
  }
  if (!options.tokens.empty()) parse_counts(options.tokens, "--tokens");
  check_selection_options(options.selection);
  const std::string source =
      options.file.empty() ? std::string(bench_sentences()) : read_text_file(options.file, kMaxFileBytes, ErrorKind::kInput);
  const LoadedModel loaded = open_wanted_model(options.model.model);
  const Request request = make_request(options.selection, loaded);
  const std::vector<std::size_t> counts = token_counts(options, loaded);
  const BenchTexts texts(*loaded.tokenizer, source);
  ThreadPool pool(options.model.threads);
  const BenchRun run{loaded, request, pool, options.repeat};
  std::vector<BenchResult> results;
  for (const std::size_t n_token : counts) {
    for (const std::size_t batch : batches) results.push_back(run.measure(texts, n_token, batch));
  }
  const std::string title =
      fmt::format("{}  {} of {} layers, {} of {} heads, {} runs each, tokenizing included\n", loaded.info.name,
                  request.layers.size(), loaded.info.n_layer, request.heads.size(), loaded.info.n_head, options.repeat);
  write_descriptor(STDOUT_FILENO, json ? bench_json(results) : title + bench_table(results));
  return 0;
}

}  // namespace

CommandRun declare_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("--tokens", options->tokens, "tokens per text, including special ones; the default is 16,512")
      ->option_text("LIST");
  app.add_option("--batch", options->batch, "texts per batch; the default is 1")->option_text("LIST");
  app.add_option("--repeat", options->repeat, "counted runs; two more warm up")
      ->option_text("N")
      ->check(CLI::Range(kRepeatCounts.least, kRepeatCounts.most))
      ->default_str("10");
  app.add_option("--file", options->file, "take words from a file instead of built-in sentences")->option_text("PATH");
  app.add_option("-f,--format", options->format, "term (a table) or json")->option_text("FORMAT");
  add_selection_options(app, options->selection);
  add_model_options(app, options->model);
  return [options](const CommandContext&) { return run_bench(*options); };
}

}  // namespace attnviz
