// Colour maps: a position between 0 (nothing) and 1 (the most) -> sRGB, shared by pictures and the terminal.
// Tested in tests/unit/figure/colour_map_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
};

const std::vector<std::string>& colour_map_names();

// The colour at a position, which is clamped to [0, 1]. On a light background 1 is darkest, with `dark` it is brightest.
Rgb map_colour(std::string_view cmap, bool dark, float position01);

}  // namespace attnviz
