// Figure and Trace -> text for a terminal, in the colours that it supports. Tested in tests/unit/render/terminal/terminal_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace attnviz {

enum class ColourDepth : std::uint8_t { kNone, k256, k24Bit };

inline constexpr std::size_t kMinTerminalColumns = 40;  // narrower terminals get this and wrap

struct TerminalOptions {
  ColourDepth colour = ColourDepth::kNone;
  std::size_t columns = 80;
  Style style;
  FigureOptions figure{};
};

// From the environment (COLORTERM, TERM, NO_COLOR, COLUMNS) and the window size of stdout; kNone if stdout is not a terminal.
TerminalOptions detect_terminal(const Style& style);

// One map: header, cells with vertical column labels, the strongest links of each row as text where cells cannot be shown.
// Marked links are marked in the cells and listed below them; the views of one query list its keys.
// Several maps: the heads with their strongest content links (trace/links.h).
std::string render_terminal(const Trace& trace, const TerminalOptions& options);

}  // namespace attnviz
