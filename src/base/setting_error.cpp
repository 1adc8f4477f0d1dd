// See setting_error.h.
#include "base/setting_error.h"

#include <array>
#include <utility>

namespace attnviz {
namespace {

constexpr std::array<std::string_view, kSettingCount> kNames{
    "layer",     "head", "rows",      "columns",    "focus", "pool",   "reduction",  "truncation", "hidden special tokens",
    "view",      "row",  "highlight", "colour map", "scale", "vmax",   "values",     "resolution", "width",
    "page size", "font", "exact",     "line",       "array", "tokens", "key tokens", "force",      "file"};

std::string joined(const std::vector<SettingError::Part>& parts, std::string_view (*name)(Setting)) {
  std::string text;
  for (const SettingError::Part& part : parts) {
    if (const auto* setting = std::get_if<Setting>(&part)) {
      text += name(*setting);
    } else {
      text += std::get<std::string>(part);
    }
  }
  return text;
}

}  // namespace

std::string_view setting_name(Setting setting) { return kNames.at(static_cast<std::size_t>(setting)); }

SettingError::SettingError(ErrorKind kind, std::vector<Part> parts)
    : Error(kind, joined(parts, setting_name)), parts_(std::move(parts)) {}

std::string SettingError::spelled(std::string_view (*name)(Setting)) const { return joined(parts_, name); }

}  // namespace attnviz
