// Trace -> Figure: labels, titles, panels and marks. Tested in tests/unit/figure/build_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>

#include "trace/sink.h"

namespace attnviz {

// Throws SettingError(kInput) for a marked link that a view of one query cannot show.
Figure make_figure(const Trace& trace, const FigureOptions& options = {});

// Throws what make_figure would, without making anything.
void check_figure(const Trace& trace, const FigureOptions& options);

// The largest column of all maps together (trace/sink.h).
std::optional<ColumnShare> largest_column(const Trace& trace);

}  // namespace attnviz
