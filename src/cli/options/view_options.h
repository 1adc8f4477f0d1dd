// Which view a picture shows, what it marks, and which maps are combined: --view, --row, --highlight, --hide-sink,
// --reduce. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/marks.h"

namespace CLI {
class App;
}

namespace attnviz {

struct ViewOptions {
  std::optional<std::string> view;
  std::optional<std::string> row;
  std::vector<std::string> highlights;
  bool hide_sink = false;
};

void add_view_options(CLI::App& app, ViewOptions& options);

// All but the marks. Throws Error(kUsage) for a view that is not known, or a row that the view does not use. --row alone means the
// view of one row.
FigureOptions make_figure_options(const ViewOptions& options);

// The words of --row and --highlight, to be looked up once the tokens are known. Throws Error(kUsage) for a link without a colon.
MarkWords mark_words(const ViewOptions& options);

// Whether a picture needs the rows of its query alone. (Finding a sink takes all rows.)
bool needs_one_query(const FigureOptions& options, const MarkWords& words);

struct ReduceOptions {
  std::optional<std::string> by;
  std::optional<std::string> over;
};

void add_reduce_options(CLI::App& app, ReduceOptions& options);

// Throws Error(kUsage) for unknown values. Called before any work is done.
void check_reduce_options(const ReduceOptions& options);

// The trace with its maps combined, if that was asked for.
Trace apply_reduction(Trace trace, const ReduceOptions& options);

}  // namespace attnviz
