// See colour.h.
#include "figure/colour.h"

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

double channel_to_linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t channel_to_srgb(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  const double encoded = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(encoded * 255));
}

}  // namespace

LinearRgb to_linear(Rgb colour) { return {channel_to_linear(colour.r), channel_to_linear(colour.g), channel_to_linear(colour.b)}; }

Rgb to_srgb(const LinearRgb& linear) {
  return {channel_to_srgb(linear.red), channel_to_srgb(linear.green), channel_to_srgb(linear.blue)};
}

double relative_luminance(const LinearRgb& linear) { return 0.2126 * linear.red + 0.7152 * linear.green + 0.0722 * linear.blue; }

double lightness(Rgb colour) {
  const double y = relative_luminance(to_linear(colour));
  return y <= 216.0 / 24389 ? y * 24389.0 / 27 : 116 * std::cbrt(y) - 16;
}

double luminance_of_lightness(double l_star) {
  const double f = (l_star + 16) / 116;
  return l_star <= 8 ? l_star * 27.0 / 24389 : f * f * f;
}

double contrast_ratio(Rgb a, Rgb b) {
  const double ya = relative_luminance(to_linear(a)) + 0.05;
  const double yb = relative_luminance(to_linear(b)) + 0.05;
  return std::max(ya, yb) / std::min(ya, yb);
}

Rgb more_readable(Rgb ground, Rgb first, Rgb second) {
  return contrast_ratio(ground, first) >= contrast_ratio(ground, second) ? first : second;
}

}  // namespace attnviz
