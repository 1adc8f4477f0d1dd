// What the environment says about a terminal.
#include "render/terminal/terminal_detect.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TerminalEnvironment with_term(const std::string& term) {
  TerminalEnvironment environment;
  environment.is_terminal = true;
  environment.term = term;
  return environment;
}

TEST(ColourDepth, FollowsTermAndColorterm) {
  EXPECT_EQ(colour_depth(with_term("xterm-256color")), ColourDepth::k256);
  EXPECT_EQ(colour_depth(with_term("xterm")), ColourDepth::kNone);
  EXPECT_EQ(colour_depth(with_term("")), ColourDepth::kNone);
  for (const char* term : {"xterm-direct", "xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty"}) {
    EXPECT_EQ(colour_depth(with_term(term)), ColourDepth::k24Bit) << term;
  }
  for (const char* colorterm : {"truecolor", "24bit"}) {
    TerminalEnvironment environment = with_term("xterm");
    environment.colorterm = colorterm;
    EXPECT_EQ(colour_depth(environment), ColourDepth::k24Bit);
    environment.term = "dumb";
    EXPECT_EQ(colour_depth(environment), ColourDepth::kNone);
  }
}

TEST(ColourDepth, IsNoneWithNoColorOrWithoutATerminal) {
  TerminalEnvironment environment = with_term("xterm-kitty");
  environment.no_color = std::string("1");
  EXPECT_EQ(colour_depth(environment), ColourDepth::kNone);
  environment.no_color.clear();
  EXPECT_EQ(colour_depth(environment), ColourDepth::k24Bit);
  environment.is_terminal = false;
  EXPECT_EQ(colour_depth(environment), ColourDepth::kNone);
}

TEST(TerminalColumns, PrefersColumnsThenTheWindowThen80) {
  TerminalEnvironment environment = with_term("xterm");
  EXPECT_EQ(terminal_columns(environment), 80u);
  environment.window_columns = 132;
  EXPECT_EQ(terminal_columns(environment), 132u);
  environment.columns = "100";
  EXPECT_EQ(terminal_columns(environment), 100u);
  for (const char* broken : {"0", "-5", "wide", "99999999999999999999999", "12x"}) {
    environment.columns = broken;
    EXPECT_EQ(terminal_columns(environment), 132u) << broken;
  }
  environment.columns = std::string("3");
  EXPECT_EQ(terminal_columns(environment), kMinTerminalColumns);
}

}  // namespace
}  // namespace attnviz
