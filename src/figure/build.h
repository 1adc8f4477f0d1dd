// Trace -> Figure: labels, titles, panels, and what of them is marked. Tested in tests/unit/figure/build_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

namespace attnviz {

Figure make_figure(const Trace& trace, const FigureOptions& options = {});

}  // namespace attnviz
