// What does not depend on a picture's view. See layout_parts.h.
#include "figure/layout/layout_parts.h"
#include "figure/marks.h"

#include <fmt/format.h>

namespace attnviz {

std::string largest_remark(const LayoutContext& context, CellBlock block) {
  return fmt::format("each cell is the largest of {} × {} {}{}", block.rows, block.columns, context.figure.value.plural(),
                     context.scale.is_signed ? ", whatever its sign" : "");
}

std::vector<std::string> common_remarks(const LayoutContext& context) {
  const Figure& figure = context.figure;
  std::vector<std::string> remarks;
  if (!figure.highlights.empty() && figure.panels.size() == 1 && figure.view != FigureView::kGrid) {
    remarks.push_back("marked: " + marks_remark(figure.highlights, figure.panels.front()));
  }
  if (figure.sink) {
    remarks.push_back(fmt::format("sink {} is left out of the scale: {:.0f}% of all {}", figure.column_labels[*figure.sink].text,
                                  figure.sink_share * 100, figure.value.noun()));
  }
  std::size_t n_bad = 0;
  for (const Panel& panel : figure.panels) n_bad += count_bad(panel);
  if (n_bad > 0) remarks.push_back(fmt::format("{} {} cell{} hatched", n_bad, figure.bad_cell, n_bad == 1 ? " is" : "s are"));
  return remarks;
}

}  // namespace attnviz
