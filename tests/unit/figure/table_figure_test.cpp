// One column of a table as a map of layers and heads.
#include "figure/table_figure.h"

#include <attnviz/error.h>

#include <cmath>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

Table effects() {
  Table table{.schema = "attnviz.ablate/1", .rows_name = "heads"};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger},
                   {.name = "head", .kind = ColumnKind::kInteger},
                   {.name = "effect", .kind = ColumnKind::kNumber, .unit = "nats", .decimals = 3, .is_signed = true}};
  table.rows = {{std::int64_t{5}, std::int64_t{1}, 0.5},
                {std::int64_t{0}, std::int64_t{3}, -0.25F},
                {std::int64_t{0}, std::int64_t{1}, std::monostate{}}};
  table.title = "Effects";
  table.provenance.made_by.command = "ablate";
  return table;
}

TEST(TableFigure, RowsAreLayersAndColumnsHeadsInOrder) {
  const Figure figure = make_table_figure(effects(), {.value = "effect"});
  ASSERT_EQ(figure.panels.size(), 1U);
  const Panel& panel = figure.panels[0];
  ASSERT_EQ(panel.n_rows, 2U);
  ASSERT_EQ(panel.n_columns, 2U);
  EXPECT_TRUE(std::isnan(panel.values[0]));  // nothing measured
  EXPECT_EQ(panel.values[1], -0.25F);
  EXPECT_EQ(panel.values[2], 0.5F);
  EXPECT_TRUE(std::isnan(panel.values[3]));  // not in the table
  EXPECT_EQ(figure.row_labels[1].text, "5");
  EXPECT_EQ(figure.column_labels[1].text, "3");
  EXPECT_EQ(figure.row_axis, "layer");
  EXPECT_EQ(figure.column_axis, "head");
  EXPECT_EQ(figure.value.caption(), "effect (nats)");
  EXPECT_TRUE(figure.value.is_signed);
  EXPECT_EQ(figure.value.decimals, 3);
  EXPECT_EQ(figure.bad_cell, "n/a");
  EXPECT_EQ(figure.title, "Effects");
  EXPECT_EQ(figure.command, "attnviz ablate");
}

TEST(TableFigure, RefusesWhatIsNoMap) {
  EXPECT_THROW(make_table_figure(effects(), {.value = "layer"}), Error);
  EXPECT_THROW(make_table_figure(effects(), {.value = "weight"}), Error);
  Table twice = effects();
  twice.rows.push_back(twice.rows[0]);
  EXPECT_THROW(make_table_figure(twice, {.value = "effect"}), Error);
  Table empty = effects();
  empty.rows.clear();
  EXPECT_THROW(make_table_figure(empty, {.value = "effect"}), Error);
}

}  // namespace
}  // namespace attnviz
