// sRGB colours and what can be said about them. Formulas: IEC 61966-2-1 (sRGB), CIE 15 (L*), WCAG 2.2 (contrast).
// Tested in tests/unit/figure/colour_map_test.cpp.
#pragma once

#include <cstdint>

namespace attnviz {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

constexpr Colour rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}

struct LinearRgb {
  double red = 0;
  double green = 0;
  double blue = 0;
};

LinearRgb to_linear(Colour colour);

// Rounded to 8 bits; values outside [0, 1] are clamped.
Colour to_srgb(const LinearRgb& linear);

double relative_luminance(const LinearRgb& linear);  // Y of the D65 white point, 0..1
double lightness(Colour colour);                     // CIE L*, 0..100
double luminance_of_lightness(double l_star);        // inverse of the above, 0..1
double contrast_ratio(Colour a, Colour b);           // 1..21

// The one of two colours that stands out more on `ground`.
Colour more_readable(Colour ground, Colour first, Colour second);

}  // namespace attnviz
