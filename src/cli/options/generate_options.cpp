// See generate_options.h.
#include "cli/options/generate_options.h"

#include <attnviz/error.h>

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/limits.h"

namespace attnviz {
namespace {

void require(bool holds, const char* option, const char* what) {
  if (!holds) throw Error(ErrorKind::kUsage, fmt::format("{}: {}", option, what));
}

}  // namespace

void add_generation_options(CLI::App& app, GenerationOptions& options) {
  app.add_option("--generate", options.n_tokens, "continue the text with at most N generated tokens")
      ->option_text("N")
      ->check(CLI::Range(kGeneratedCounts.least, kGeneratedCounts.most));
  app.add_option("--temperature", options.temperature,
                 "sample tokens at this temperature; higher is more random, 0 (the default) is greedy")
      ->option_text("X");
  app.add_option("--top-k", options.top_k, "sample from the K most likely tokens")
      ->option_text("K")
      ->check(CLI::Range(kGeneratedCounts.least, kGeneratedCounts.most));
  app.add_option("--seed", options.seed, "seed of the sampling; the default is 0")->option_text("N");
}

void check_generation_options(const GenerationOptions& options) {
  const char* needs_generate = "has no meaning without --generate; try --generate 20 with it";
  const char* needs_temperature = "has no effect on greedy generation; add --temperature 0.8";
  const bool generates = options.n_tokens > 0;
  require(generates || !options.temperature, "--temperature", needs_generate);
  require(generates || !options.top_k, "--top-k", needs_generate);
  require(generates || !options.seed, "--seed", needs_generate);
  if (options.temperature) {
    const double temperature = *options.temperature;
    if (!kTemperatureLimits.hold(temperature)) {
      throw Error(ErrorKind::kUsage, fmt::format("--temperature {}: is out of range; expected {} to {}", temperature,
                                                 kTemperatureLimits.least, kTemperatureLimits.most));
    }
  }
  const bool draws = options.temperature.value_or(0) > 0;
  require(draws || !options.top_k, "--top-k", needs_temperature);
  require(draws || !options.seed, "--seed", needs_temperature);
}

GenerateOptions make_generate_options(const GenerationOptions& options) {
  return {options.n_tokens, {options.temperature.value_or(0), options.top_k.value_or(0), options.seed.value_or(0)}};
}

}  // namespace attnviz
