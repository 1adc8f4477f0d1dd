// What does not depend on a picture's view. See layout_parts.h.
#include "figure/layout/layout_parts.h"
#include "figure/marks.h"

#include <fmt/format.h>

#include <algorithm>

namespace attnviz {

double own_maximum(const LayoutContext& context, const Panel& panel, std::size_t row) {
  if (!shares_maxima(context.scale.kind)) return 0;
  const bool of_row = context.scale.kind == Scale::kRow;
  double most = 0;
  for (std::size_t i = of_row ? row * panel.n_columns : 0; i < (of_row ? (row + 1) * panel.n_columns : panel.values.size()); ++i) {
    const bool counts = std::isfinite(panel.values[i]) && !(context.figure.sink && i % panel.n_columns == *context.figure.sink);
    if (counts) most = std::max<double>(most, panel.values[i]);
  }
  return most;
}

std::vector<std::string> common_remarks(const LayoutContext& context) {
  const Figure& figure = context.figure;
  std::vector<std::string> remarks;
  if (!figure.highlights.empty() && figure.panels.size() == 1 && figure.view != FigureView::kGrid) {
    remarks.push_back("marked: " + marks_remark(figure.highlights, figure.panels.front()));
  }
  if (figure.sink) {
    remarks.push_back(fmt::format("sink {} is left out of the scale: {:.0f}% of all weight",
                                  figure.column_labels[*figure.sink].text, figure.sink_share * 100));
  }
  std::size_t n_bad = 0;
  for (const Panel& panel : figure.panels) n_bad += count_bad(panel);
  if (n_bad > 0) remarks.push_back(fmt::format("{} bad cell{} hatched", n_bad, n_bad == 1 ? " is" : "s are"));
  return remarks;
}

}  // namespace attnviz
