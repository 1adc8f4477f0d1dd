// sRGB colours and their measures. Formulas: IEC 61966-2-1 (sRGB), CIE 15 (L*), WCAG 2.2 (contrast).
// Tested in tests/unit/figure/colour_map_test.cpp.
#pragma once

#include <cstdint>

namespace attnviz {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

constexpr Rgb rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}

struct LinearRgb {
  double red = 0;
  double green = 0;
  double blue = 0;
};

LinearRgb to_linear(Rgb colour);

// Rounded to 8 bits; values outside [0, 1] are clamped.
Rgb to_srgb(const LinearRgb& linear);

double relative_luminance(const LinearRgb& linear);  // Y of the D65 white point, 0..1
double lightness(Rgb colour);                        // CIE L*, 0..100
double luminance_of_lightness(double l_star);        // inverse of the above, 0..1
double contrast_ratio(Rgb a, Rgb b);                 // 1..21

// The one of two colours that stands out more on `ground`.
Rgb more_readable(Rgb ground, Rgb first, Rgb second);

}  // namespace attnviz
