// Tables in a terminal: alignment, decimals, what is missing, and widths that do not suffice.
#include "render/terminal/terminal_table.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::HasSubstr;

Table scores() {
  Table table{.schema = "attnviz.rank/1", .rows_name = "heads"};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger},
                   {.name = "link", .kind = ColumnKind::kText},
                   {.name = "effect", .kind = ColumnKind::kNumber, .unit = "nats", .decimals = 2, .is_signed = true},
                   {.name = "token", .kind = ColumnKind::kToken}};
  table.rows = {{std::int64_t{3}, std::string("it → the animal"), -0.677, std::string(" a")},
                {std::int64_t{11}, std::string("was"), 12.5F, std::string("b\n")},
                {std::int64_t{0}, std::monostate{}, std::monostate{}, std::monostate{}}};
  return table;
}

TerminalOptions plain(std::size_t columns) { return {ColourDepth::kNone, columns, {}}; }

TEST(TerminalTable, AlignsColumnsAndShowsWhatIsMissing) {
  EXPECT_EQ(draw_table(scores(), plain(80)),
            "layer  link             effect (nats)  token\n"
            "    3  it → the animal          -0.68  ␣a\n"
            "   11  was                      12.50  b↵\n"
            "    0  n/a                        n/a  n/a\n");
}

TEST(TerminalTable, CutsTextsFirstThenLeavesColumnsOut) {
  EXPECT_EQ(draw_table(scores(), plain(38)),
            "layer  link       effect (nats)  token\n"
            "    3  it → the…          -0.68  ␣a\n"
            "   11  was                12.50  b↵\n"
            "    0  n/a                  n/a  n/a\n");
  EXPECT_EQ(draw_table(scores(), plain(31)),
            "layer  link      effect (nats)\n"
            "    3  it → th…          -0.68\n"
            "   11  was               12.50\n"
            "    0  n/a                 n/a\n"
            "not shown in 31 columns: token\n");
}

TEST(TerminalTable, AnyWidthCutsNothingAndColoursDimWhatIsMissing) {
  Table table = scores();
  table.rows[0][1] = std::string(500, 'x');
  EXPECT_THAT(draw_table(table, plain(kAnyWidth)), HasSubstr(std::string(500, 'x')));
  EXPECT_THAT(draw_table(table, {ColourDepth::k256, 80, {}}), HasSubstr("\x1B[2m"));
}

TEST(TerminalTable, FitsAnyWidth) {
  for (std::size_t columns = 4; columns < 60; ++columns) {
    std::istringstream lines(draw_table(scores(), plain(columns)));
    for (std::string line; std::getline(lines, line);) {
      const auto n = std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      EXPECT_LE(static_cast<std::size_t>(n), columns) << line;
    }
  }
}

}  // namespace
}  // namespace attnviz
