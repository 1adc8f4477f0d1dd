// See setting_options.h.
#include "cli/options/setting_options.h"

#include <array>
#include <variant>

#include "base/setting_error.h"

namespace attnviz {
namespace {

// In the order of Setting.
constexpr std::array<std::string_view, kSettingCount> kOptions{
    "--layer", "--head", "--rows",      "--cols", "--focus", "--pool",   "--reduce",     "--truncate", "--hide-special",
    "--view",  "--row",  "--highlight", "--cmap", "--scale", "--vmax",   "--values",     "--dpi",      "--width",
    "--size",  "--font", "--exact",     "--line", "--array", "--tokens", "--key-tokens", "--force",    "--file"};

}  // namespace

std::string_view option_of(Setting setting) { return kOptions.at(static_cast<std::size_t>(setting)); }

std::string message_of(const Error& error) {
  const auto* about = dynamic_cast<const SettingError*>(&error);
  if (about == nullptr) return error.what();
  std::string text;
  for (const SettingError::Part& part : about->parts()) {
    if (const auto* setting = std::get_if<Setting>(&part)) {
      text += option_of(*setting);
    } else {
      text += std::get<std::string>(part);
    }
  }
  return text;
}

}  // namespace attnviz
