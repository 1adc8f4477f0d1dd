// Where one word looks, as lines: each of its strongest keys with its weight and its place in the text. For --focus, where the keys
// are far apart and their neighbours are more informative than a cell. Tested in
// tests/unit/render/terminal/terminal_focus_test.cpp.
#pragma once

#include <string>

#include "render/terminal/terminal.h"

namespace attnviz {

// For each row of the map its strongest keys, at most a dozen, under the row's name.
std::string draw_focus(const Trace& trace, const AttentionMap& map, const TerminalOptions& options);

}  // namespace attnviz
