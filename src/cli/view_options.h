// Which view of its maps a picture shows, what is marked in it, and which maps become one: --view, --row, --highlight, --hide-sink,
// --reduce. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace CLI {
class App;
}

namespace attnviz {

struct ReduceOptions {
  std::optional<std::string> by;
  std::optional<std::string> over;
};

struct ViewOptions {
  const TextOptions& text;
  const ReduceOptions& reduce;
};

void add_reduce_options(CLI::App& app, ReduceOptions& options);

// Throws Error(kUsage) for what is not known. Called before any work is done.
void check_reduce_options(const ReduceOptions& options);

// The trace with its maps put together, where that was asked for.
Trace apply_reduction(Trace trace, const ReduceOptions& options);

// A page holds all tokens and only opens with pieces merged or special tokens hidden, as these then say; unless maps are put
// together, which is done after that.
PageOptions page_views(PageOptions page, const ViewOptions& options, OutputFormat format);

// What was asked for about words, special tokens and maps, done to a trace, but for what a page opens with.
Trace apply_views(Trace trace, const ViewOptions& options, const PageOptions& page);

}  // namespace attnviz
