// See marks.h.
#include "figure/marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "figure/scale.h"
#include "trace/marks.h"

namespace attnviz {

CellMark cell_mark(const Trace& trace, const LinkSpan& link) {
  return {link.query.begin, link.key.begin, link.query.size(), link.key.size(),
          span_name(trace.queries, link.query) + " → " + span_name(trace.keys, link.key)};
}

double mark_weight(const Panel& panel, const CellMark& mark) {
  double sum = 0;
  for (std::size_t row = mark.row; row < mark.row + mark.n_rows; ++row) {
    for (std::size_t column = mark.column; column < mark.column + mark.n_columns; ++column) {
      sum += panel.values[row * panel.n_columns + column];
    }
  }
  return sum / static_cast<double>(mark.n_rows);
}

std::string marks_remark(const std::vector<CellMark>& marks, const Panel& panel) {
  std::vector<std::string> remarks;
  for (const CellMark& mark : marks) remarks.push_back(fmt::format("{} {}", mark.name, format_weight(mark_weight(panel, mark))));
  return fmt::format("{}", fmt::join(remarks, ", "));
}

}  // namespace attnviz
