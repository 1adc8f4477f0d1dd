// Which view of its maps a picture shows, what is marked in it, and which maps become one: --view, --row, --highlight, --hide-sink,
// --reduce. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attnviz {

struct ReduceOptions {
  std::optional<std::string> by;
  std::optional<std::string> over;
};

void add_reduce_options(CLI::App& app, ReduceOptions& options);

// Throws Error(kUsage) for what is not known. Called before any work is done.
void check_reduce_options(const ReduceOptions& options);

// The trace with its maps put together, where that was asked for.
Trace apply_reduction(Trace trace, const ReduceOptions& options);

}  // namespace attnviz
