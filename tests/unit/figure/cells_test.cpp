// Cells of a panel: colours by position, pooling by the maximum, odd edges, values that are not finite.
#include "figure/cells.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnviz {
namespace {

const ColourMap& blues() { return find_colour_map("blues", false); }

TEST(ColourCells, OneCellAWeight) {
  const Panel panel{.n_rows = 2, .n_columns = 3, .values = {0, 0.5F, 1, 0.25F, NAN, INFINITY}};
  const SceneCells cells = colour_cells(panel, ColourScale{.high = 1}, blues(), {});
  ASSERT_EQ(cells.colours.size(), 6U);
  EXPECT_EQ(cells.colours[0], blues().at(0));
  EXPECT_EQ(cells.colours[1], blues().at(0.5));
  EXPECT_EQ(cells.colours[2], blues().at(1));
  EXPECT_EQ(cells.colours[3], blues().at(0.25));
  EXPECT_EQ(cells.colours[4], blues().at(0));
  EXPECT_EQ(cells.colours[5], blues().at(0));
}

TEST(ColourCells, PoolsByTheMaximumAndKeepsTheOddEdge) {
  const Panel panel{.n_rows = 3, .n_columns = 3, .values = {0, 0, 0, 0, 0.5F, 0, 0, 0, 1}};
  const SceneCells cells = colour_cells(panel, ColourScale{.high = 1}, blues(), {2, 2});
  ASSERT_EQ(cells.n_rows, 2U);
  ASSERT_EQ(cells.n_columns, 2U);
  EXPECT_EQ(cells.colours[0], blues().at(0.5));
  EXPECT_EQ(cells.colours[1], blues().at(0));
  EXPECT_EQ(cells.colours[3], blues().at(1));
}

TEST(ColourCells, RowScalePoolsSharesNotWeights) {
  // The second row's only weight is small, but all of its row.
  const Panel panel{.n_rows = 2, .n_columns = 2, .values = {0.2F, 0.8F, 0.1F, 0}};
  const SceneCells cells = colour_cells(panel, ColourScale{.kind = Scale::kRow}, blues(), {});
  EXPECT_EQ(cells.colours[0], blues().at(0.25));
  EXPECT_EQ(cells.colours[1], blues().at(1));
  EXPECT_EQ(cells.colours[2], blues().at(1));
  EXPECT_EQ(cells.colours[3], blues().at(0));
}

}  // namespace
}  // namespace attnviz
