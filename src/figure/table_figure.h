// Table -> Figure: one column of numbers as a map over two columns of integers, such as an effect over layers and heads.
// Tested in tests/unit/figure/table_figure_test.cpp and tests/golden.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/table.h>

#include <string>

namespace attnviz {

// Names of columns.
struct TableAxes {
  std::string value;  // a kNumber: its name, unit, sign and decimals become the figure's
  std::string row = "layer";
  std::string column = "head";
};

// Rows and columns are the integers that occur, ascending; a pair that the table lacks, or that has no value, is a hatched cell.
// Throws Error(kBug) for a column that the table does not have or that is of another kind, for a table without rows, and for two
// rows of the same pair.
Figure make_table_figure(const Table& table, const TableAxes& axes);

}  // namespace attnviz
