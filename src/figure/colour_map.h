// Colour maps: names and tables of 256 colours, first for the smallest value. Each is computed, not copied: hue and chroma follow a
// few control points in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020), and every step is then set to a
// CIE L* that falls (on a dark ground: rises) by the same amount, so that equal differences look equal, in grey print too. Tested
// in tests/unit/figure/colour_map_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "figure/colour.h"

namespace attnviz {

struct ColourMap {
  std::string name;
  std::array<Rgb, 256> colours;  // near white to deep; on a dark ground near black to pale

  // `position` in [0, 1], clamped; not a number counts as 0.
  Rgb at(double position) const;
};

const std::vector<std::string>& colour_map_names();

// `dark`: the version for a dark ground. Computed at first use and kept. Throws Error(kUsage) with the known names for an unknown
// one.
const ColourMap& find_colour_map(std::string_view name, bool dark);

// One colour of a map.
inline Rgb map_colour(std::string_view name, bool dark, double position) { return find_colour_map(name, dark).at(position); }

// For differences: blue below zero, red above it, neutral at zero, both sides alike in lightness.
struct DivergingMap {
  std::array<Rgb, 257> colours;  // -1 .. 1; the neutral colour in the middle

  // `position` in [-1, 1], clamped; not a number counts as 0.
  Rgb at(double position) const;
};

const DivergingMap& diverging_map(bool dark);

// The colours of a figure: a named map for values from 0 up, the diverging one for signed values. Positions are those of
// ColourScale::position. Copies share the tables.
class ValueColours {
 public:
  // Throws as find_colour_map does; the name is checked for signed values too.
  ValueColours(std::string_view name, bool dark, bool is_signed)
      : map_(&find_colour_map(name, dark)), diverging_(is_signed ? &diverging_map(dark) : nullptr) {}

  Rgb at(double position) const { return diverging_ != nullptr ? diverging_->at(position) : map_->at(position); }

  // The colour of lines and bars, whose length or width shows the value: one strong colour, or one for each sign of signed values.
  Rgb stroke(double position) const { return at(position < 0 ? -kStroke : kStroke); }

 private:
  static constexpr double kStroke = 0.72;

  const ColourMap* map_;
  const DivergingMap* diverging_;
};

}  // namespace attnviz
