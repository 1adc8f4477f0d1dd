// Trace -> Figure: labels, titles, panels, and what of them is marked. Tested in tests/unit/figure/build_test.cpp.
#pragma once

#include "trace/sink.h"

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>

namespace attnviz {

// Throws Error(kInput) for a word of `options` that is not in the text.
Figure make_figure(const Trace& trace, const FigureOptions& options = {});

// Throws what make_figure would, without making anything.
void check_figure(const Trace& trace, const FigureOptions& options);

// Of all maps together (trace/sink.h).
std::optional<ColumnShare> largest_column(const Trace& trace);

}  // namespace attnviz
