// See setting_options.h.
#include "cli/options/setting_options.h"

#include <array>

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
  return about == nullptr ? error.what() : about->spelled(option_of);
}

}  // namespace attnviz
