// Cells of a panel: colours by position, pooling by the maximum, odd edges, values that are not finite.
#include "figure/cells.h"

#include <cmath>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

const ValueColours& blues() {
  static const ValueColours colours("blues", false, false);
  return colours;
}

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

TEST(ColourCells, SignedBlocksShowTheirLargestMagnitude) {
  const ValueColours colours("blues", false, true);
  const Panel panel{.n_rows = 2, .n_columns = 4, .values = {0.2F, -0.5F, 0, 0, 0.1F, 0.3F, 1, -0.25F}};
  const ColourScale scale{.is_signed = true, .high = 1};
  const SceneCells cells = colour_cells(panel, scale, colours, {2, 2});
  EXPECT_EQ(cells.colours[0], colours.at(-0.5));
  EXPECT_EQ(cells.colours[1], colours.at(1));
  // The strongest of a block is left out with its column, and the next one counts.
  EXPECT_EQ(colour_cells(panel, scale, colours, {2, 2}, {.column = 1}).colours[0], colours.at(0.2));
}

TEST(ColourCells, SignedRowsAreSharesOfTheirLargestMagnitude) {
  const ValueColours colours("blues", false, true);
  const Panel panel{.n_rows = 2, .n_columns = 2, .values = {0.2F, -0.8F, 0.1F, NAN}};
  const SceneCells cells = colour_cells(panel, {.kind = Scale::kRow, .is_signed = true}, colours, {});
  EXPECT_EQ(cells.colours[0], colours.at(0.25));
  EXPECT_EQ(cells.colours[1], colours.at(-1));
  EXPECT_EQ(cells.colours[2], colours.at(1));
  EXPECT_EQ(cells.colours[3], colours.at(0));
}

}  // namespace
}  // namespace attnviz
