// See terminal_detect.h. NO_COLOR follows no-color.org: set and not empty. COLUMNS wins over the window, as with curses.
#include "render/terminal/terminal_detect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace attnviz {
namespace {

constexpr std::size_t kDefaultColumns = 80;
constexpr std::size_t kMaxColumns = 1000;

// Terminals that show 24-bit colours but, over ssh, often arrive without COLORTERM.
constexpr std::array kFullColourTerms = {"-direct", "kitty", "alacritty", "wezterm", "ghostty", "foot", "truecolor", "24bit"};

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

ColourDepth colour_depth(const TerminalEnvironment& environment) {
  const std::string& term = environment.term;
  const bool plain = !environment.is_terminal || !environment.no_color.empty() || term.empty() || term == "dumb";
  if (plain) return ColourDepth::kNone;
  if (environment.colorterm == "truecolor" || environment.colorterm == "24bit") return ColourDepth::k24Bit;
  const bool full = std::any_of(kFullColourTerms.begin(), kFullColourTerms.end(), [&](auto part) { return contains(term, part); });
  if (full) return ColourDepth::k24Bit;
  return contains(term, "256color") ? ColourDepth::k256 : ColourDepth::kNone;
}

std::size_t terminal_columns(const TerminalEnvironment& environment) {
  const std::string& text = environment.columns;
  std::size_t columns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool usable = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && columns > 0;
  if (!usable) columns = environment.window_columns > 0 ? environment.window_columns : kDefaultColumns;
  return std::clamp(columns, kMinTerminalColumns, kMaxColumns);
}

TerminalOptions detect_terminal(const Style& style) {
  TerminalEnvironment environment;
  environment.is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize window{};
  if (environment.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) environment.window_columns = window.ws_col;
  environment.term = environment_variable("TERM");
  environment.colorterm = environment_variable("COLORTERM");
  environment.no_color = environment_variable("NO_COLOR");
  environment.columns = environment_variable("COLUMNS");
  return {colour_depth(environment), terminal_columns(environment), style};
}

}  // namespace attnviz
