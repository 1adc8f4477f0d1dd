// See terminal_colour.h.
#include "render/terminal/terminal_colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "figure/colour_map.h"

namespace attnviz {
namespace {

struct Lab {
  double l = 0;
  double a = 0;
  double b = 0;
};

// OKLab (B. Ottosson 2020): plain RGB distances would turn pale blues into greens, because the cube has few of them.
Lab perceived(Rgb colour) {
  const LinearRgb linear = to_linear(colour);
  const double l = std::cbrt(0.4122214708 * linear.red + 0.5363325363 * linear.green + 0.0514459929 * linear.blue);
  const double m = std::cbrt(0.2119034982 * linear.red + 0.6806995451 * linear.green + 0.1073969566 * linear.blue);
  const double s = std::cbrt(0.0883024619 * linear.red + 0.2817188376 * linear.green + 0.6299787005 * linear.blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// How badly `found` represents `wanted`. Lightness carries the value and hue the map's identity; a stronger colour than wanted does
// little harm, a greyer one much: the cube has few pale and few dark colours, and greys between blues would look like another
// scale.
double mismatch(const Lab& wanted, const Lab& found) {
  const double lightness_error = wanted.l - found.l;
  const double wanted_chroma = std::hypot(wanted.a, wanted.b);
  const double found_chroma = std::hypot(found.a, found.b);
  const double chroma_error = (wanted_chroma - found_chroma) * (found_chroma < wanted_chroma ? 1.4 : 0.4);
  const double da = wanted.a - found.a;
  const double db = wanted.b - found.b;
  const double squared_hue_error = da * da + db * db - (wanted_chroma - found_chroma) * (wanted_chroma - found_chroma);
  return 2 * lightness_error * lightness_error + chroma_error * chroma_error + 2 * squared_hue_error;
}

constexpr std::size_t kFirst = 16;  // the 16 colours before differ from terminal to terminal
constexpr std::size_t kFirstGrey = 232;

Rgb palette_colour(std::size_t index) {
  constexpr std::array<std::uint8_t, 6> kLevels = {0, 95, 135, 175, 215, 255};
  if (index >= kFirstGrey) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (index - kFirstGrey));
    return {grey, grey, grey};
  }
  const std::size_t cube = index - kFirst;
  return {kLevels[cube / 36], kLevels[cube / 6 % 6], kLevels[cube % 6]};
}

std::array<Lab, 256> perceived_palette() {
  std::array<Lab, 256> palette;
  for (std::size_t i = kFirst; i < palette.size(); ++i) palette[i] = perceived(palette_colour(i));
  return palette;
}

// Ten steps are what the palette can keep apart, and what the legend shows.
double stepped(double position) { return std::min(std::floor(position * kShadeSteps), kShadeSteps - 1.0) / (kShadeSteps - 1.0); }

double signed_stepped(double position) {
  constexpr double kSide = (kSignedShadeSteps - 1) / 2.0;
  return std::round(position * kSide) / kSide;
}

}  // namespace

std::uint8_t nearest_of_256(Rgb colour) {
  static const std::array<Lab, 256> kPalette = perceived_palette();
  const Lab wanted = perceived(colour);
  std::size_t nearest = kFirst;
  for (std::size_t i = kFirst; i < kPalette.size(); ++i) {
    if (mismatch(wanted, kPalette[i]) < mismatch(wanted, kPalette[nearest])) nearest = i;
  }
  return static_cast<std::uint8_t>(nearest);
}

Shades::Shades(const TerminalOptions& options, bool is_signed) : is_signed_(is_signed), cells_(is_signed ? 257 : 256) {
  if (options.colour == ColourDepth::kNone) return;
  const ValueColours colours(options.style.cmap, options.style.dark, is_signed);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(cells_.size() - 1);
    double position = is_signed ? 2 * share - 1 : share;
    if (options.colour == ColourDepth::k256) position = is_signed ? signed_stepped(position) : stepped(position);
    const Rgb ground = colours.at(position);
    const Rgb ink = more_readable(ground, rgb(0x101010), rgb(0xF5F5F5));
    cells_[i] = options.colour == ColourDepth::k256
                    ? fmt::format("38;5;{};48;5;{}", nearest_of_256(ink), nearest_of_256(ground))
                    : fmt::format("38;2;{};{};{};48;2;{};{};{}", ink.r, ink.g, ink.b, ground.r, ground.g, ground.b);
  }
}

const std::string& Shades::cell(double position) const {
  const double share = std::clamp(is_signed_ ? (position + 1) / 2 : position, 0.0, 1.0);
  return cells_[static_cast<std::size_t>(std::lround(share * static_cast<double>(cells_.size() - 1)))];
}

StyledLine& StyledLine::put(std::string_view text, std::string_view sgr) {
  if (text.empty()) return *this;
  if (depth_ != ColourDepth::kNone && sgr != sgr_) {
    const std::string_view reset = sgr_.empty() ? "" : sgr.empty() ? "0" : "0;";
    fmt::format_to(std::back_inserter(line_), "\x1B[{}{}m", reset, sgr);
    sgr_.assign(sgr);
  }
  line_ += text;
  return *this;
}

std::string StyledLine::end() {
  if (!sgr_.empty()) {
    line_ += "\x1B[0m";
  } else {
    line_.erase(line_.find_last_not_of(' ') + 1);
  }
  std::string line = std::move(line_) + "\n";
  sgr_.clear();
  line_.clear();
  return line;
}

}  // namespace attnviz
