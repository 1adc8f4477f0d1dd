// Marked cells and what a panel says of them.
#include "figure/marks.h"

#include <gtest/gtest.h>

#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

// As merging words has it: (0.125 + 0.75) / 2.
TEST(Marks, ABlockHasTheWeightOfItsMergedWords) {
  const Trace trace = small_trace();
  const Panel panel{.n_rows = 5, .n_columns = 5, .values = {trace.maps[0].pattern.begin(), trace.maps[0].pattern.end()}};
  const CellMark mark = cell_mark(trace, {{1, 3}, {3, 4}});
  EXPECT_EQ(mark.row, 1U);
  EXPECT_EQ(mark.n_rows, 2U);
  EXPECT_EQ(mark.column, 3U);
  EXPECT_EQ(mark.n_columns, 1U);
  EXPECT_EQ(mark.name, "unhappy → cat");
  EXPECT_NEAR(mark_weight(panel, mark), 0.4375, 1e-7);
  EXPECT_EQ(marks_remark({mark}, panel), "unhappy → cat 0.438");
  EXPECT_NEAR(mark_weight(panel, cell_mark(trace, {{3, 4}, {1, 3}})), 0.625, 1e-7);
}

}  // namespace
}  // namespace attnviz
