// See colour_bar.h.
#include "figure/layout/colour_bar.h"

#include "figure/colour_map.h"
#include "figure/theme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace attnviz {
namespace {

constexpr double kBarWidth = 11;
constexpr double kTallest = 200;
constexpr double kShortest = 96;
constexpr double kShortestOnPage = 56;  // where the picture has to fit a page
constexpr double kTickLength = 4;
constexpr double kLine = kTickSize * kLineSpacing;

// On a narrow page every word beside the cells takes room from them.
bool is_terse(const Style& style) { return style.page && style.page->width < kNarrowPage; }

std::vector<std::string> caption_lines(const ColourScale& scale, const Style& style) {
  std::vector<std::string> lines{"attention weight"};
  if (is_terse(style)) lines = {"attention", "weight"};
  if (scale.kind == Scale::kRow) lines.insert(lines.end(), {"as a share of the", "row’s maximum"});
  if (scale.kind == Scale::kOwn) lines.insert(lines.end(), {"as a share of each", "map’s maximum"});
  if (scale.kind == Scale::kLog) lines.emplace_back("log scale");
  if (scale.kind == Scale::kRobust && !style.vmax) lines.insert(lines.end(), {"up to the 98th", "percentile"});
  if (style.dark) lines.emplace_back("brighter is more");
  return lines;
}

std::string percent(double share) {
  const double value = share * 100;
  return value < 0.1 ? "<0.1%" : fmt::format("{:.{}f}%", value, value < 10 ? 1 : 0);
}

std::vector<std::string> remark_lines(const ColourScale& scale, const Style& style) {
  std::vector<std::string> lines{(is_terse(style) ? "max " : "maximum ") + format_weight(scale.maximum)};
  if (scale.share_above > 0) lines.insert(lines.end(), {percent(scale.share_above) + " of cells", "above, clipped"});
  if (scale.share_below > 0) lines.insert(lines.end(), {percent(scale.share_below) + " of cells", "below, clipped"});
  return lines;
}

// On a log scale round numbers bunch up at the upper end: those that would touch the one below are left out.
std::vector<Tick> spaced_out(std::vector<Tick> ticks, double bar_height) {
  std::vector<Tick> kept;
  for (Tick& tick : ticks) {
    if (kept.empty() || (tick.position - kept.back().position) * bar_height >= 1.2 * kTickSize) kept.push_back(std::move(tick));
  }
  return kept;
}

}  // namespace

ColourBar plan_colour_bar(const ColourScale& scale, const Style& style, double room, const TextMeasure& measure) {
  ColourBar bar{.above = caption_lines(scale, style), .below = remark_lines(scale, style), .ticks = scale_ticks(scale)};
  for (const auto* lines : {&bar.above, &bar.below}) {
    for (const std::string& line : *lines) bar.width = std::max(bar.width, measure(line, kTickSize, FontWeight::kRegular));
  }
  for (const Tick& tick : bar.ticks) {
    bar.width = std::max(bar.width, kBarWidth + kTickLength + 3 + measure(tick.text, kTickSize, FontWeight::kRegular));
  }
  const double lines_height = static_cast<double>(bar.above.size() + bar.below.size()) * kLine + 2.3 * kTickSize;
  bar.bar_height = std::floor(std::clamp(room - lines_height, style.page ? kShortestOnPage : kShortest, kTallest));
  bar.height = bar.bar_height + lines_height;
  bar.ticks = spaced_out(std::move(bar.ticks), bar.bar_height);
  return bar;
}

Scene draw_colour_bar(const ColourBar& bar, const Style& style, double pixel, const TextMeasure& measure) {
  const Theme& theme = theme_for(style.dark);
  Scene scene;
  const auto add = [&](const std::string& text, double x, double baseline) {
    scene.texts.push_back({.x = x, .y = baseline, .text = text, .size = kTickSize, .colour = theme.grey});
    scene.texts.back().width = measure(text, kTickSize, FontWeight::kRegular);
  };
  double y = kAscent * kTickSize;
  for (const std::string& line : bar.above) add(line, 0, y), y += kLine;

  const auto snap = [&](double units) { return std::round(units / pixel) * pixel; };
  const double top = snap(y - kAscent * kTickSize + 0.5 * kTickSize);
  const auto n_rows = static_cast<std::size_t>(std::max(2.0, std::round(bar.bar_height / pixel)));
  const double height = static_cast<double>(n_rows) * pixel;
  SceneCells cells{.x = 0, .y = top, .cell_width = snap(kBarWidth), .cell_height = pixel, .n_rows = n_rows, .n_columns = 1};
  const ColourMap& map = find_colour_map(style.cmap, style.dark);
  for (std::size_t row = 0; row < n_rows; ++row) {
    cells.colours.push_back(map.at(1 - static_cast<double>(row) / static_cast<double>(n_rows - 1)));
  }
  const double hairline = snap(std::max(1.0, pixel));
  scene.rects.push_back({-hairline, top - hairline, cells.cell_width + 2 * hairline, height + 2 * hairline, theme.frame});
  for (const Tick& tick : bar.ticks) {
    const double tick_y = top + (1 - tick.position) * height;
    scene.lines.push_back({cells.cell_width + 1, tick_y, cells.cell_width + 1 + kTickLength, tick_y, 1, theme.grey});
    add(tick.text, cells.cell_width + kTickLength + 4, tick_y + kHalfHeight * kTickSize);
  }
  scene.cells.push_back(std::move(cells));

  y = top + height + 2 * kTickSize;
  for (const std::string& line : bar.below) add(line, 0, y), y += kLine;
  return scene;
}

Scene draw_flat_colour_bar(const ColourScale& scale, const Style& style, double pixel, const TextMeasure& measure) {
  constexpr double kLength = 160;
  constexpr double kThickness = 9;
  const Theme& theme = theme_for(style.dark);
  const auto snap = [&](double units) { return std::round(units / pixel) * pixel; };
  Scene scene;
  const auto add = [&](const std::string& text, double x, double baseline, Anchor anchor) {
    scene.texts.push_back({.x = x, .y = baseline, .text = text, .size = kTickSize, .colour = theme.grey, .anchor = anchor});
    scene.texts.back().width = measure(text, kTickSize, FontWeight::kRegular);
    return scene.texts.back().width;
  };
  std::string caption;
  for (const std::string& line : caption_lines(scale, style)) {
    const bool apart = line == "log scale" || line == "brighter is more";
    caption += (caption.empty() ? "" : apart ? ", " : " ") + line;
  }
  const double x = snap(add(caption, 0, kAscent * kTickSize, Anchor::kStart) + 12);
  const auto n_columns = static_cast<std::size_t>(std::max(2.0, std::round(kLength / pixel)));
  SceneCells cells{.x = x, .y = pixel, .cell_width = pixel, .cell_height = snap(kThickness), .n_rows = 1, .n_columns = n_columns};
  const ColourMap& map = find_colour_map(style.cmap, style.dark);
  for (std::size_t i = 0; i < n_columns; ++i)
    cells.colours.push_back(map.at(static_cast<double>(i) / static_cast<double>(n_columns - 1)));
  const double length = static_cast<double>(n_columns) * pixel;
  scene.rects.push_back({x - pixel, 0, length + 2 * pixel, cells.cell_height + 2 * pixel, theme.frame});
  const double ticks_top = cells.y + cells.cell_height;
  double free_from = 0;
  double right = x + length;
  for (const Tick& tick : scale_ticks(scale)) {
    const double width = measure(tick.text, kTickSize, FontWeight::kRegular);
    const double tick_x = x + tick.position * length;
    if (tick_x - width / 2 < free_from) continue;
    scene.lines.push_back({tick_x, ticks_top + 1, tick_x, ticks_top + 1 + kTickLength, 1, theme.grey});
    add(tick.text, tick_x, ticks_top + kTickLength + 3 + kAscent * kTickSize, Anchor::kMiddle);
    free_from = tick_x + width / 2 + 6;
    right = std::max(right, tick_x + width / 2);
  }
  const std::string beside = fmt::format("{}", fmt::join(remark_lines(scale, style), " "));
  scene.width = right + 14 + add(beside, right + 14, kAscent * kTickSize, Anchor::kStart);
  scene.height = ticks_top + kTickLength + 3 + (kAscent + kDescent) * kTickSize;
  scene.cells.push_back(std::move(cells));
  return scene;
}

}  // namespace attnviz
