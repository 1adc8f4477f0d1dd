// Tables: what every writer refuses.
#include <attnviz/error.h>
#include <attnviz/table.h>

#include <cmath>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

Table table_with(TableCell cell, ColumnKind kind) {
  Table table{.schema = "attnviz.test/1"};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger}, {.name = "x", .kind = kind}};
  table.rows = {{std::int64_t{0}, std::move(cell)}};
  return table;
}

TEST(Table, EveryKindTakesItsOwnCellsAndNothing) {
  const std::vector<std::pair<ColumnKind, TableCell>> good{{ColumnKind::kText, std::string("a")},
                                                           {ColumnKind::kToken, std::string(" a")},
                                                           {ColumnKind::kInteger, std::int64_t{3}},
                                                           {ColumnKind::kNumber, 0.5},
                                                           {ColumnKind::kNumber, 0.5F}};
  for (const auto& [kind, cell] : good) {
    EXPECT_NO_THROW(check_table(table_with(cell, kind)));
    EXPECT_NO_THROW(check_table(table_with(std::monostate{}, kind)));
  }
  EXPECT_THROW(check_table(table_with(0.5, ColumnKind::kInteger)), Error);
  EXPECT_THROW(check_table(table_with(std::int64_t{1}, ColumnKind::kNumber)), Error);
  EXPECT_THROW(check_table(table_with(0.5, ColumnKind::kText)), Error);
  EXPECT_THROW(check_table(table_with(std::string("1"), ColumnKind::kNumber)), Error);
}

TEST(Table, RefusesNumbersThatAreNoneAndRowsOfAnotherLength) {
  EXPECT_THROW(check_table(table_with(NAN, ColumnKind::kNumber)), Error);
  EXPECT_THROW(check_table(table_with(double{INFINITY}, ColumnKind::kNumber)), Error);
  Table table = table_with(0.5, ColumnKind::kNumber);
  table.rows[0].pop_back();
  EXPECT_THROW(check_table(table), Error);
}

TEST(Table, FindsColumnsByName) {
  EXPECT_EQ(column_index(table_with(0.5, ColumnKind::kNumber), "x"), 1U);
  EXPECT_THROW(column_index(table_with(0.5, ColumnKind::kNumber), "y"), Error);
}

}  // namespace
}  // namespace attnviz
