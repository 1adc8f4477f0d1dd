// Figure options with words in the place of marks, as tests read best: {.view = FigureView::kRow, .row = "it"}.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/marks.h"

namespace attnviz {

struct WordedOptions {
  FigureView view = FigureView::kMap;
  std::optional<std::string> row{};
  std::vector<std::string> highlights{};
  bool hide_sink = false;
};

inline FigureOptions options_for(const Trace& trace, const WordedOptions& options) {
  return {
      .view = options.view, .marks = find_marks({options.row, options.highlights}, axes_of(trace)), .hide_sink = options.hide_sink};
}

}  // namespace attnviz
