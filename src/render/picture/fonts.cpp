// See fonts.h.
#include "render/picture/fonts.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fontconfig/fontconfig.h>

#include "base/setting_error.h"
#include "base/suggest.h"

namespace attnviz {
namespace {

constexpr std::array<std::string_view, 4> kGenericFamilies = {"sans-serif", "serif", "monospace", "system-ui"};
constexpr std::size_t kMostSuggestions = 5;

struct FontconfigDelete {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
  void operator()(FcObjectSet* set) const { FcObjectSetDestroy(set); }
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
};
template <typename T>
using FontconfigOwned = std::unique_ptr<T, FontconfigDelete>;

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

// Every name that an installed font goes by.
std::vector<std::string> installed_families() {
  const FontconfigOwned<FcPattern> all(FcPatternCreate());
  const FontconfigOwned<FcObjectSet> wanted(FcObjectSetBuild(FC_FAMILY, nullptr));
  const FontconfigOwned<FcFontSet> fonts(FcFontList(nullptr, all.get(), wanted.get()));
  std::set<std::string> names;
  for (int i = 0; fonts && i < fonts->nfont; ++i) {
    FcChar8* name = nullptr;
    for (int n = 0; FcPatternGetString(fonts->fonts[i], FC_FAMILY, n, &name) == FcResultMatch; ++n) {
      names.emplace(reinterpret_cast<const char*>(name));
    }
  }
  return {names.begin(), names.end()};
}

// The closest name, then those that share their beginning with the wanted one, or hold it.
std::vector<std::string> near_families(const std::string& family, const std::vector<std::string>& installed) {
  std::vector<std::string> near;
  if (const auto closest = closest_name(family, installed)) near.push_back(*closest);
  const std::string wanted = lower(family);
  const std::string first_word = wanted.substr(0, wanted.find(' '));
  for (const std::string& name : installed) {
    const bool alike =
        lower(name).find(wanted) != std::string::npos || (first_word.size() > 2 && lower(name).starts_with(first_word));
    if (near.size() < kMostSuggestions && alike && std::find(near.begin(), near.end(), name) == near.end()) near.push_back(name);
  }
  return near;
}

}  // namespace

void check_font_family(const std::string& family) {
  const std::string wanted = lower(family);
  if (std::find(kGenericFamilies.begin(), kGenericFamilies.end(), wanted) != kGenericFamilies.end()) return;
  const std::vector<std::string> installed = installed_families();
  for (const std::string& name : installed) {
    if (lower(name) == wanted) return;
  }
  const std::vector<std::string> near = near_families(family, installed);
  const std::string expected = near.empty() ? fmt::format("expected one of {} families, such as {}", installed.size(),
                                                          installed.empty() ? "none" : installed.front())
                                            : fmt::format("did you mean {}?", fmt::join(near, ", "));
  throw SettingError(ErrorKind::kUsage,
                     {Setting::kFont, fmt::format(" {}: no installed font has this family; {}; fc-list : family lists all of them",
                                                  family, expected)});
}

}  // namespace attnviz
