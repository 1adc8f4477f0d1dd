// Remarks under a picture that do not depend on its view. See layout_parts.h.
#include "figure/layout_parts.h"
#include "figure/marks.h"

#include <fmt/format.h>

namespace attnviz {

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
