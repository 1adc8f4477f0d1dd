// A picture on a page of a given size: the widest body whose picture is not higher than the page. The layout
// of that width decides the rest, such as the size of cells and which labels are shown.
//
// On a small page the whole picture is drawn smaller, as far as 6 points for its smallest type allow: it is laid out on a page that
// is larger by the same factor, of device pixels that are larger as well, so that cells are still on whole ones.
#include <attnviz/error.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/setting_error.h"
#include "figure/layout/layout_parts.h"
#include "figure/view_registry.h"

namespace attnviz {
namespace {

constexpr double kLeastZoom = kSmallestSize / kTickSize;
constexpr double kLowPage = 360;  // lower ones have smaller type
constexpr double kStep = 1.1;     // between the page sizes that are tried
constexpr int kMostSteps = 40;
constexpr int kHalvings = 5;

PageSize scaled(PageSize page, double factor) {
  page.width *= factor;
  if (page.height) page.height = *page.height * factor;
  return page;
}

double smallest_font(const Scene& scene) {
  double smallest = std::numeric_limits<double>::max();
  for (const SceneText& text : scene.texts) smallest = std::min(smallest, text.size);
  return smallest;
}

// How much smaller everything is drawn, and how much closer rows of words are.
struct Squeeze {
  double zoom;
  double tightness;
};

class PageLayout {
 public:
  PageLayout(const Figure& figure, const Style& style, const TextMeasure& measure)
      : figure_(figure), style_(style), measure_(measure) {}

  // Nothing if the page is too small.
  std::optional<Scene> on(const PageSize& page) const {
    const double height = page.height.value_or(page.width);
    const double usual = std::clamp(std::min(page.width / kNarrowPage, height / kLowPage), kLeastZoom, 1.0);
    const bool has_rows = view_spec(figure_.view).has_word_rows;
    for (const Squeeze& way : {Squeeze{usual, 1}, {kLeastZoom, 1}, {kLeastZoom, 0.8}, {kLeastZoom, 0.6}, {1, 1}}) {
      if (way.tightness < 1 && !has_rows) continue;
      std::optional<Scene> scene = zoomed(page, way);
      if (!scene) continue;
      scene->width = page.width;
      scene->height = page.height.value_or(scene->height);
      return scene;
    }
    return std::nullopt;
  }

  // A page of the same proportions, not much larger than necessary; nothing if none is large enough.
  std::optional<PageSize> least_page(const PageSize& page) const {
    double too_small = 1;
    double enough = kStep;
    int steps = 0;
    while (!on(scaled(page, enough))) {
      if (++steps == kMostSteps) return std::nullopt;
      too_small = enough;
      enough *= kStep;
    }
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (too_small + enough) / 2;
      (on(scaled(page, middle)) ? enough : too_small) = middle;
    }
    return scaled(page, enough);
  }

 private:
  std::optional<Scene> zoomed(const PageSize& page, const Squeeze& way) const {
    const double zoom = way.zoom;
    Style style = style_;
    style.dpi *= zoom;
    std::optional<Scene> scene = unzoomed(scaled(page, 1 / zoom), style, {{}, kSmallestSize / zoom, way.tightness});
    if (!scene || smallest_font(*scene) * zoom < kSmallestSize - 1e-6) return std::nullopt;
    scale_scene(&*scene, zoom);
    return scene;
  }

  std::optional<Scene> unzoomed(const PageSize& page, Style style, BodyLimits limits) const {
    const double pixel = 96 / style.dpi;
    style.width = std::floor(page.width / pixel + 1e-6);
    std::optional<Scene> best;
    double narrowest = 1;
    double widest = *style.width;
    for (double width = widest; narrowest <= widest; width = std::floor((narrowest + widest) / 2)) {
      limits.width = width;
      std::optional<Scene> scene = in_limits(style, limits);
      if (scene && page.height && scene->height > *page.height + pixel / 2) {
        widest = width - 1;
      } else {
        narrowest = width + 1;
        if (scene) best = std::move(scene);
      }
    }
    return best;
  }

  std::optional<Scene> in_limits(const Style& style, const BodyLimits& limits) const {
    try {
      return frame_body(figure_, style, measure_, limits);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      return std::nullopt;
    }
  }

  const Figure& figure_;
  const Style& style_;
  const TextMeasure& measure_;
};

// "85x60mm", as people write page sizes; rounded up to a number that they would choose.
std::string spell_size(const PageSize& page) {
  const double grain = page.unit_size > 10 ? 0.1 : 1;
  const auto spell = [&](double side) { return fmt::format("{:g}", std::ceil(side / page.unit_size / grain - 1e-6) * grain); };
  return page.height ? fmt::format("{}x{}{}", spell(page.width), spell(*page.height), page.unit)
                     : fmt::format("{}{}", spell(page.width), page.unit);
}

}  // namespace

Scene layout_on_page(const Figure& figure, const Style& style, const TextMeasure& measure) {
  const PageLayout layout(figure, style, measure);
  const PageSize& page = *style.page;
  if (std::optional<Scene> scene = layout.on(page)) return std::move(*scene);
  frame_body(figure, style, measure, {});  // throws if no page size would help
  const std::optional<PageSize> least = layout.least_page(page);
  throw SettingError(
      ErrorKind::kUsage,
      {Setting::kSize,
       fmt::format(" {}: is too small for the labels at 6 points, the colour bar and the title; {}", spell_size(page),
                   least ? fmt::format("try {} or more", spell_size(*least)) : "try a larger one, or fewer heads or tokens")});
}

}  // namespace attnviz
