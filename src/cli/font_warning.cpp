// See font_warning.h.
#include "cli/font_warning.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kMostText = 40;  // bytes of a token

}  // namespace

void merge_notes(RenderNotes&& from, RenderNotes* into) {
  std::vector<MissingGlyph>& known = into->missing;
  for (MissingGlyph& glyph : from.missing) {
    const auto at = std::lower_bound(known.begin(), known.end(), glyph.code_point,
                                     [](const MissingGlyph& a, char32_t c) { return a.code_point < c; });
    if (at == known.end() || at->code_point != glyph.code_point) known.insert(at, std::move(glyph));
  }
}

std::string font_warning(const RenderNotes& notes) {
  const std::vector<MissingGlyph>& missing = notes.missing;
  if (missing.empty()) return "";
  std::string named;
  for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i) {
    named += fmt::format("{}{} in {}", i == 0 ? "" : ", ", code_point_name(missing[i].code_point),
                         quote_text(missing[i].text, kMostText));
  }
  if (missing.size() > kMostNamed) named += fmt::format(" and {} more", missing.size() - kMostNamed);
  return fmt::format("warning: no installed font has {}; boxes with {} stand for {}; try a package such as fonts-noto", named,
                     missing.size() == 1 ? "its number" : "their numbers", missing.size() == 1 ? "it" : "them");
}

}  // namespace attnviz
