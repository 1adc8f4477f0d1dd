// The abilities of a terminal, from its environment; separate from the system calls, so that it can be tested.
// Tested in tests/unit/render/terminal/terminal_detect_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "render/terminal/terminal.h"

namespace attnviz {

struct TerminalEnvironment {
  bool is_terminal = false;
  std::size_t window_columns = 0;  // 0: unknown
  std::string term;                // TERM, COLORTERM, NO_COLOR, COLUMNS; empty where not set
  std::string colorterm;
  std::string no_color;
  std::string columns;
};

ColourDepth colour_depth(const TerminalEnvironment& environment);
std::size_t terminal_columns(const TerminalEnvironment& environment);

}  // namespace attnviz
