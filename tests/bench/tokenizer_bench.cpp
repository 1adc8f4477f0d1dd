// How fast the tokenizers of real models are, on plain sentences: one of each kind where the folder is there (data/get_model.py
// brings the default model; ATTNVIZ_BENCH_MODELS, separated by colons, names more). Read the CPU column.
#include <attnviz/error.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "cli/bench_text.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "text/frozen_tokenizer.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

// About `n_byte` bytes of plain sentences.
std::string text_of(std::size_t n_byte) {
  std::string text;
  while (text.size() < n_byte) text += std::string(bench_sentences()) + "\n";
  return text;
}

void encode(benchmark::State& state, const Tokenizer& tokenizer) {
  const TextInput input{text_of(static_cast<std::size_t>(state.range(0))), std::nullopt};
  std::size_t n_token = 0;
  for (auto _ : state) n_token = tokenizer.encode(input).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(input.text.size()) * state.iterations());
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(n_token) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

std::vector<std::filesystem::path> model_folders() {
  std::vector<std::filesystem::path> folders{std::filesystem::path(ATTNVIZ_DATA_DIR) / "models" / "minilm-l6"};
  const char* more = std::getenv("ATTNVIZ_BENCH_MODELS");
  std::istringstream names(more != nullptr ? more : "");
  for (std::string name; std::getline(names, name, ':');) folders.emplace_back(name);
  return folders;
}

void register_folder(const std::filesystem::path& folder) {
  try {
    const std::shared_ptr<Tokenizer> tokenizer = make_tokenizer(read_tokenizer_files(folder));
    const std::string name = fmt::format("BM_Tokenize/{}", folder.filename().string());
    benchmark::RegisterBenchmark(name.c_str(), [tokenizer](benchmark::State& state) { encode(state, *tokenizer); })
        ->Arg(60)
        ->Arg(100000)
        ->Unit(benchmark::kMicrosecond);
    const FlatBytes frozen = FlatBytes::of(freeze_tokenizer(read_tokenizer_files(folder)));
    benchmark::RegisterBenchmark(fmt::format("BM_OpenFrozen/{}", folder.filename().string()).c_str(), [frozen](
                                                                                                          benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(open_tokenizer(frozen, "bench"));
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(fmt::format("BM_Open/{}", folder.filename().string()).c_str(), [folder](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(make_tokenizer(read_tokenizer_files(folder)));
    })->Unit(benchmark::kMillisecond);
  } catch (const Error& error) {
    fmt::print(stderr, "left out: {}\n", error.what());
  }
}

}  // namespace
}  // namespace attnviz

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const auto& folder : attnviz::model_folders()) attnviz::register_folder(folder);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
