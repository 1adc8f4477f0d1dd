// Cells that are marked in a picture, and what a panel says of them. Tested in tests/unit/figure/marks_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <string>
#include <vector>

namespace attnviz {

// The cells of a link, named "it → animal".
CellMark cell_mark(const Trace& trace, const LinkSpan& link);

// The panel's weight of a mark; not a number where one of its cells is not.
double mark_weight(const Panel& panel, const CellMark& mark);

// "it → animal 0.677, it → street 0.05": all marks with their weights in one panel.
std::string marks_remark(const std::vector<CellMark>& marks, const Panel& panel);

}  // namespace attnviz
