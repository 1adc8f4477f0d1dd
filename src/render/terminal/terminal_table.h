// A table for people: columns under their names, numbers at the right with the decimals of their column.
// Tested in tests/unit/render/terminal/terminal_table_test.cpp and tests/cli/test_tokens.py.
#pragma once

#include <attnviz/table.h>

#include <cstddef>
#include <limits>
#include <string>

#include "render/terminal/terminal.h"

namespace attnviz {

inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

// A line of names and a line per row, at most `options.columns` wide: texts are cut first, then columns are left out, the last
// first, and a line below names them. With kAnyWidth nothing is cut.
std::string draw_table(const Table& table, const TerminalOptions& options);

}  // namespace attnviz
