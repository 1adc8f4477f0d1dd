// --generate and how its tokens are chosen. Tested in tests/cli/test_generate.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "pipeline/generate.h"

namespace CLI {
class App;
}

namespace attnviz {

struct GenerationOptions {
  std::size_t n_tokens = 0;  // 0: nothing is generated
  std::optional<double> temperature;
  std::optional<std::size_t> top_k;
  std::optional<std::uint64_t> seed;
};

void add_generation_options(CLI::App& app, GenerationOptions& options);

// Throws Error(kUsage): values out of range, or options that have no meaning without others. Called before any work is done.
void check_generation_options(const GenerationOptions& options);

GenerateOptions make_generate_options(const GenerationOptions& options);

}  // namespace attnviz
