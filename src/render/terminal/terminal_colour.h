// Colours and attributes as SGR sequences (ECMA-48, ISO 8613-6) that the terminal supports.
// Tested in tests/unit/render/terminal/terminal_colour_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "figure/colour.h"
#include "render/terminal/terminal.h"

namespace attnviz {

// The index of the 256-colour palette that looks nearest to a colour, of the 6 x 6 x 6 cube and the greys.
std::uint8_t nearest_of_256(Rgb colour);

// Shades of a legend, and all that a picture in 256 colours has; of signed values five to each side of the neutral one.
inline constexpr std::size_t kShadeSteps = 10;
inline constexpr std::size_t kSignedShadeSteps = 11;

inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kUnderlined = "4";

// The shades of the picture's colour map as SGR parameters; empty ones where the terminal has no colours.
class Shades {
 public:
  explicit Shades(const TerminalOptions& options, bool is_signed = false);

  // Background for a position in [0, 1], of signed values in [-1, 1], with a foreground that can be read on it.
  const std::string& cell(double position) const;

 private:
  bool is_signed_;
  std::vector<std::string> cells_;  // 256, evenly spaced; 257 of signed values, the neutral colour in the middle
};

// One line of output. Attributes change only where necessary, and are always reset before the end of the line.
class StyledLine {
 public:
  explicit StyledLine(ColourDepth depth) : depth_(depth) {}

  // `sgr`: parameters such as "2" or "48;5;17"; dropped where the terminal has no colours.
  StyledLine& put(std::string_view text, std::string_view sgr = {});

  std::string end();  // the line with its newline; blanks at the end are left out

 private:
  ColourDepth depth_;
  std::string sgr_;
  std::string line_;
};

}  // namespace attnviz
