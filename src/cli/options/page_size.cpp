// See page_size.h.
#include "cli/options/page_size.h"

#include <attnviz/error.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/limits.h"

namespace attnviz {
namespace {

struct Unit {
  const char* name;
  double size;  // in 1/96 inch
};

constexpr std::array<Unit, 5> kUnits = {{{"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"pt", 96.0 / 72}, {"px", 1}}};

[[noreturn]] void refuse(const std::string& text, std::string_view why) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--size {}: {}; expected a width, or width x height, in mm, cm, in, pt or px; try 85mm, 85x60mm or 400x300px",
                  text, why));
}

struct Length {
  double value = 0;
  const Unit* unit = nullptr;  // if the text names none
};

std::optional<Length> parse_length(std::string_view text) {
  Length length;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), length.value, std::chars_format::fixed);
  if (fault != std::errc{} || !std::isfinite(length.value) || length.value <= 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (rest == unit.name) length.unit = &unit;
  }
  return rest.empty() || length.unit != nullptr ? std::optional(length) : std::nullopt;
}

double side_of(const std::string& text, const Length& length, double unit_size) {
  const double side = length.value * unit_size;
  if (side < kPageSideLimits.least) refuse(text, "is too small");
  if (side > kPageSideLimits.most) refuse(text, "is too large");
  return side;
}

}  // namespace

PageSize parse_page_size(const std::string& text, double dpi) {
  std::size_t between = text.find('x');
  while (between != std::string::npos && between > 0 && text[between - 1] == 'p') between = text.find('x', between + 1);  // of "px"
  std::optional<Length> width = parse_length(std::string_view(text).substr(0, between));
  std::optional<Length> height;
  if (between != std::string::npos) height = parse_length(std::string_view(text).substr(between + 1));
  if (!width || (between != std::string::npos && !height)) refuse(text, "is not a size");
  if (height && width->unit == nullptr) width->unit = height->unit;
  if (width->unit == nullptr || (height && height->unit == nullptr)) refuse(text, "has no unit");
  const auto size_of = [&](const Unit& unit) { return unit.name == std::string_view("px") ? 96 / dpi : unit.size; };
  PageSize page{.unit = width->unit->name, .unit_size = size_of(*width->unit)};
  page.width = side_of(text, *width, page.unit_size);
  if (height) page.height = side_of(text, *height, size_of(*height->unit));
  return page;
}

}  // namespace attnviz
