// See colour_map.h.
#include "figure/colour_map.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/setting_error.h"
#include "base/suggest.h"

namespace attnviz {
namespace {

// L* at both ends. The light end stays off the white of the page, the dark end off its black.
struct LightnessRange {
  double first;
  double last;
};
constexpr LightnessRange kOnLight{98, 15};
constexpr LightnessRange kOnDark{11, 96};

struct ControlPoint {
  double depth;   // 0 at the light end, 1 at the dark end
  double chroma;  // OKLab
  double hue;     // OKLab, degrees
};

struct Recipe {
  const char* name;
  std::array<ControlPoint, 4> points;
};

constexpr std::array<Recipe, 8> kRecipes{{
    {"blues", {{{0, 0.004, 245}, {0.4, 0.095, 246}, {0.75, 0.135, 256}, {1, 0.085, 262}}}},
    {"greys", {{{0, 0, 0}, {0.3, 0, 0}, {0.7, 0, 0}, {1, 0, 0}}}},
    {"greens", {{{0, 0.006, 150}, {0.4, 0.105, 152}, {0.75, 0.105, 156}, {1, 0.055, 162}}}},
    {"purples", {{{0, 0.005, 305}, {0.4, 0.1, 303}, {0.75, 0.16, 298}, {1, 0.11, 294}}}},
    {"oranges", {{{0, 0.008, 75}, {0.35, 0.12, 62}, {0.7, 0.125, 46}, {1, 0.07, 38}}}},
    {"reds", {{{0, 0.005, 30}, {0.4, 0.13, 24}, {0.7, 0.17, 24}, {1, 0.09, 24}}}},
    {"lagoon", {{{0, 0.03, 108}, {0.33, 0.105, 150}, {0.66, 0.095, 215}, {1, 0.1, 272}}}},
    {"ember", {{{0, 0.035, 100}, {0.33, 0.135, 66}, {0.66, 0.175, 14}, {1, 0.1, -62}}}},
}};

double interpolate(double x, double x0, double x1, double y0, double y1) { return y0 + (y1 - y0) * (x - x0) / (x1 - x0); }

struct ChromaHue {
  double chroma;
  double hue;
};

ChromaHue follow(std::span<const ControlPoint, 4> points, double depth) {
  std::size_t i = 0;
  while (i + 2 < points.size() && depth > points[i + 1].depth) ++i;
  const ControlPoint& a = points[i];
  const ControlPoint& b = points[i + 1];
  return {interpolate(depth, a.depth, b.depth, a.chroma, b.chroma), interpolate(depth, a.depth, b.depth, a.hue, b.hue)};
}

double cube(double x) { return x * x * x; }

LinearRgb from_oklch(double l_ok, const ChromaHue& colour) {
  const double angle = colour.hue * std::numbers::pi / 180;
  const double a = colour.chroma * std::cos(angle);
  const double b = colour.chroma * std::sin(angle);
  const double l = cube(l_ok + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(l_ok - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(l_ok - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool displayable(const LinearRgb& c) {
  const auto inside = [](double v) { return v >= -1e-4 && v <= 1 + 1e-4; };
  return inside(c.red) && inside(c.green) && inside(c.blue);
}

// The OKLab colour of this hue and chroma that has the wanted luminance: luminance grows with L, so halving finds it.
LinearRgb at_luminance(double luminance, const ChromaHue& colour) {
  double low = 0;
  double high = 1.2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (relative_luminance(from_oklch(middle, colour)) < luminance ? low : high) = middle;
  }
  return from_oklch((low + high) / 2, colour);
}

// Keeps lightness and hue, and lowers the chroma if sRGB has no such colour.
Rgb nearest_colour(double l_star, ChromaHue wanted) {
  const double luminance = luminance_of_lightness(l_star);
  LinearRgb colour = at_luminance(luminance, wanted);
  for (int i = 0; i < 60 && !displayable(colour); ++i) {
    wanted.chroma *= 0.96;
    colour = at_luminance(luminance, wanted);
  }
  return to_srgb(colour);
}

ColourMap compute(const Recipe& recipe, const LightnessRange& range) {
  ColourMap map;
  map.name = recipe.name;
  const std::size_t last = map.colours.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const double l_star = range.first + (range.last - range.first) * static_cast<double>(i) / static_cast<double>(last);
    const double depth = std::clamp((kOnLight.first - l_star) / (kOnLight.first - kOnLight.last), 0.0, 1.0);
    ChromaHue colour = follow(recipe.points, depth);
    // A large area without weight must look like the ground around it: near black, not navy.
    if (range.first < range.last) colour.chroma *= std::min(1.0, 0.3 + 2.5 * static_cast<double>(i) / static_cast<double>(last));
    map.colours[i] = nearest_colour(l_star, colour);
  }
  return map;
}

// Chroma is 0 at zero and grows from there. Blue and red stay distinct for readers who do not see red or green.
constexpr LightnessRange kDivergingOnLight{97, 28};
constexpr LightnessRange kDivergingOnDark{14, 78};
constexpr double kBlueHue = 255;
constexpr double kRedHue = 32;

DivergingMap compute_diverging(const LightnessRange& range, bool dark) {
  DivergingMap map;
  const std::size_t middle = map.colours.size() / 2;
  for (std::size_t step = 0; step <= middle; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(middle);
    const double l_star = range.first + (range.last - range.first) * share;
    const double chroma = (dark ? 0.13 : 0.16) * std::sin(share * std::numbers::pi / 2);
    map.colours[middle - step] = nearest_colour(l_star, {chroma, kBlueHue});
    map.colours[middle + step] = nearest_colour(l_star, {chroma, kRedHue});
  }
  return map;
}

}  // namespace

Rgb ColourMap::at(double position) const {
  if (!(position > 0)) return colours.front();
  const double last = static_cast<double>(colours.size() - 1);
  return colours[static_cast<std::size_t>(std::lround(std::min(position, 1.0) * last))];
}

const std::vector<std::string>& colour_map_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Recipe& recipe : kRecipes) all.emplace_back(recipe.name);
    return all;
  }();
  return names;
}

const ColourMap& find_colour_map(std::string_view name, bool dark) {
  static std::array<std::array<ColourMap, 2>, kRecipes.size()> maps;
  static std::array<std::array<std::once_flag, 2>, kRecipes.size()> computed;
  for (std::size_t i = 0; i < kRecipes.size(); ++i) {
    if (name != kRecipes[i].name) continue;
    std::call_once(computed[i][dark], [&] { maps[i][dark] = compute(kRecipes[i], dark ? kOnDark : kOnLight); });
    return maps[i][dark];
  }
  const std::optional<std::string> near = closest_name(name, colour_map_names());
  throw SettingError(ErrorKind::kUsage,
                     {Setting::kColourMap,
                      fmt::format(": no colour map is called \"{}\"; expected one of {}{}", name,
                                  fmt::join(colour_map_names(), ", "), near ? fmt::format("; did you mean \"{}\"?", *near) : "")});
}

Rgb DivergingMap::at(double position) const {
  const double middle = static_cast<double>(colours.size() / 2);
  if (std::isnan(position)) position = 0;
  return colours[static_cast<std::size_t>(std::lround(middle + std::clamp(position, -1.0, 1.0) * middle))];
}

const DivergingMap& diverging_map(bool dark) {
  static const std::array<DivergingMap, 2> maps{compute_diverging(kDivergingOnLight, false),
                                                compute_diverging(kDivergingOnDark, true)};
  return maps[dark ? 1 : 0];
}

}  // namespace attnviz
