// Which view of its maps a picture shows, what is marked in it, and which maps become one: --view, --row, --highlight, --hide-sink,
// --reduce. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/token_reference.h"

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

// Throws Error(kUsage) for a view that is not known, or a row that it has no use for. --row alone means the view of one row.
FigureOptions make_figure_options(const ViewOptions& options);

// Whether a picture of `options` needs the rows of its query alone. (A sink is known by all of them.)
bool needs_one_query(const FigureOptions& options);

// `names` of the whole text: where a part of it is drawn, "it#2" and "@9" would mean something else there. The words of `options`
// become indices. Throws Error(kInput) for one that is not in the text, or not in the part.
struct ShownPart {
  std::optional<TokenSpan> rows;  // all of them, where not set
  std::optional<TokenSpan> columns;
};
void name_by_index(const TokenNames& names, const ShownPart& part, FigureOptions* options);

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
