// Tables as JSON and CSV, byte by byte.
#include "render/export/table_exports.h"

#include <string>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

Table ranked() {
  Table table{.schema = "attnviz.find/1", .rows_name = "heads"};
  table.facts = {{"model", std::string("minilm-l6")},
                 {"texts", std::vector<TableCell>{std::string("a \"b\""), std::string("c")}},
                 {"baseline", 0.25}};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger},
                   {.name = "head", .kind = ColumnKind::kInteger},
                   {.name = "link", .kind = ColumnKind::kText},
                   {.name = "weight", .kind = ColumnKind::kNumber}};
  table.rows = {{std::int64_t{3}, std::int64_t{1}, std::string("it, \"animal\""), 0.677F},
                {std::int64_t{5}, std::int64_t{11}, std::string(), -1e-7},
                {std::int64_t{0}, std::int64_t{6}, std::monostate{}, std::monostate{}}};
  return table;
}

template <typename Write>
std::string bytes_of(Write write) {
  std::string bytes;
  write([&](std::string_view part) {
    bytes += part;
    return true;
  });
  return bytes;
}

TEST(TableJson, HoldsFactsThenRowsWithNullForNothing) {
  Table table = ranked();
  EXPECT_EQ(bytes_of([&](const ByteSink& sink) { write_table_json(table, sink); }),
            "{\"schema\": \"attnviz.find/1\", \"model\": \"minilm-l6\", \"texts\": [\"a \\\"b\\\"\", \"c\"], \"baseline\": 0.25, "
            "\"heads\": [\n"
            "{\"layer\": 3, \"head\": 1, \"link\": \"it, \\\"animal\\\"\", \"weight\": 0.677},\n"
            "{\"layer\": 5, \"head\": 11, \"link\": \"\", \"weight\": -1e-07},\n"
            "{\"layer\": 0, \"head\": 6, \"link\": null, \"weight\": null}]}\n");
  table.rows.clear();
  table.facts.clear();
  table.provenance.made_by = {.command = "find", .parts = {{.words = {"x y"}}}};
  EXPECT_EQ(bytes_of([&](const ByteSink& sink) { write_table_json(table, sink, true); }),
            "{\"schema\": \"attnviz.find/1\", \"heads\": [], \"command\": \"attnviz find \\\"x y\\\"\"}\n");
}

TEST(TableJson, OnOneLineForJsonLines) {
  const std::string line = bytes_of([&](const ByteSink& sink) { write_table_json(ranked(), sink, true); });
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(TableCsv, QuotesAsRfc4180AndTellsNothingFromEmptyText) {
  EXPECT_EQ(bytes_of([&](const ByteSink& sink) { write_table_csv(ranked(), sink); }),
            "layer,head,link,weight\n"
            "3,1,\"it, \"\"animal\"\"\",0.677\n"
            "5,11,\"\",-1e-07\n"
            "0,6,,\n");
}

TEST(TableCsv, StopsWhenNobodyReads) {
  Table table = ranked();
  table.rows.assign(200000, table.rows[0]);
  std::size_t n_calls = 0;
  write_table_csv(table, [&](std::string_view) { return ++n_calls, false; });
  EXPECT_EQ(n_calls, 1U);
}

}  // namespace
}  // namespace attnviz
