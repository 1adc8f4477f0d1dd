// See colour_bar.h.
#include "figure/layout/colour_bar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "figure/theme.h"

namespace attnviz {
namespace {

constexpr double kBarWidth = 11;
constexpr double kTallest = 200;
constexpr double kShortest = 96;
constexpr double kShortestOnPage = 56;    // where the picture has to fit a page
constexpr std::size_t kCaptionLine = 20;  // characters
constexpr std::size_t kTerseLine = 10;
constexpr double kTickLength = 4;
constexpr double kLine = kTickSize * kLineSpacing;

// On a narrow page, words beside the cells take room from them.
bool is_terse(const Style& style) { return style.page && style.page->width < kNarrowPage; }

// Words in lines of at most `longest` characters, where that is possible.
std::vector<std::string> short_lines(std::string_view text, std::size_t longest) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= longest) {
      lines.back().append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> caption_lines(const LayoutContext& context) {
  const ColourScale& scale = context.scale;
  const Style& style = context.style;
  std::vector<std::string> lines = short_lines(context.figure.value.caption(), is_terse(style) ? kTerseLine : kCaptionLine);
  if (scale.kind == Scale::kRow) lines.insert(lines.end(), {"as a share of the", "row’s maximum"});
  if (scale.kind == Scale::kOwn) lines.insert(lines.end(), {"as a share of each", "map’s maximum"});
  if (scale.kind == Scale::kLog) lines.emplace_back("log scale");
  if (scale.kind == Scale::kRobust && !style.vmax) lines.insert(lines.end(), {"up to the 98th", "percentile"});
  if (style.dark && !scale.is_signed) lines.emplace_back("brighter is more");
  return lines;
}

std::string percent(double share) {
  const double value = share * 100;
  return value < 0.1 ? "<0.1%" : fmt::format("{:.{}f}%", value, value < 10 ? 1 : 0);
}

std::vector<std::string> remark_lines(const ColourScale& scale, const Style& style) {
  std::vector<std::string> lines{(is_terse(style) ? "max " : "maximum ") + format_weight(scale.maximum)};
  if (scale.is_signed) lines.push_back((is_terse(style) ? "min " : "minimum ") + format_weight(scale.minimum));
  if (scale.share_above > 0) lines.insert(lines.end(), {percent(scale.share_above) + " of cells", "above, clipped"});
  if (scale.share_below > 0) lines.insert(lines.end(), {percent(scale.share_below) + " of cells", "below, clipped"});
  return lines;
}

// Round numbers of a log scale are close together at the upper end: those that would touch the one below are left out.
std::vector<Tick> spaced_out(std::vector<Tick> ticks, double bar_height) {
  std::vector<Tick> kept;
  for (Tick& tick : ticks) {
    if (kept.empty() || (tick.position - kept.back().position) * bar_height >= 1.2 * kTickSize) kept.push_back(std::move(tick));
  }
  return kept;
}

}  // namespace

ColourBar plan_colour_bar(const LayoutContext& context, double room) {
  const TextMeasure& measure = context.measure;
  ColourBar bar{
      .above = caption_lines(context), .below = remark_lines(context.scale, context.style), .ticks = scale_ticks(context.scale)};
  for (const auto* lines : {&bar.above, &bar.below}) {
    for (const std::string& line : *lines) bar.width = std::max(bar.width, measure(line, kTickSize, FontWeight::kRegular));
  }
  for (const Tick& tick : bar.ticks) {
    bar.width = std::max(bar.width, kBarWidth + kTickLength + 3 + measure(tick.text, kTickSize, FontWeight::kRegular));
  }
  const double lines_height = static_cast<double>(bar.above.size() + bar.below.size()) * kLine + 2.3 * kTickSize;
  bar.bar_height = std::floor(std::clamp(room - lines_height, context.style.page ? kShortestOnPage : kShortest, kTallest));
  bar.height = bar.bar_height + lines_height;
  bar.ticks = spaced_out(std::move(bar.ticks), bar.bar_height);
  return bar;
}

Scene draw_colour_bar(const LayoutContext& context, const ColourBar& bar) {
  const Theme& theme = context.theme;
  const double pixel = context.pixel;
  Scene scene;
  const auto add = [&](const std::string& text, double x, double baseline) {
    SceneText made = context.text(text, kTickSize, theme.grey);
    made.x = x;
    made.y = baseline;
    scene.texts.push_back(std::move(made));
  };
  double y = kAscent * kTickSize;
  for (const std::string& line : bar.above) add(line, 0, y), y += kLine;

  const auto snap = [&](double units) { return std::round(units / pixel) * pixel; };
  const double top = snap(y - kAscent * kTickSize + 0.5 * kTickSize);
  const auto n_rows = static_cast<std::size_t>(std::max(2.0, std::round(bar.bar_height / pixel)));
  const double height = static_cast<double>(n_rows) * pixel;
  SceneCells cells{.x = 0, .y = top, .cell_width = snap(kBarWidth), .cell_height = pixel, .n_rows = n_rows, .n_columns = 1};
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double share = 1 - static_cast<double>(row) / static_cast<double>(n_rows - 1);
    cells.colours.push_back(context.colours.at(context.scale.position_on_bar(share)));
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

Scene draw_flat_colour_bar(const LayoutContext& context) {
  constexpr double kLength = 160;
  constexpr double kThickness = 9;
  const Theme& theme = context.theme;
  const double pixel = context.pixel;
  const auto snap = [&](double units) { return std::round(units / pixel) * pixel; };
  Scene scene;
  const auto add = [&](const std::string& text, double x, double baseline, Anchor anchor) {
    SceneText made = context.text(text, kTickSize, theme.grey);
    made.x = x;
    made.y = baseline;
    made.anchor = anchor;
    scene.texts.push_back(std::move(made));
    return scene.texts.back().width;
  };
  std::string caption;
  for (const std::string& line : caption_lines(context)) {
    const bool apart = line == "log scale" || line == "brighter is more";
    caption += (caption.empty() ? "" : apart ? ", " : " ") + line;
  }
  // Beside each other where the width allows it, else the caption on a line of its own, and the extremes below the ticks.
  const double room = context.max_width.value_or(std::numeric_limits<double>::max());
  const double caption_width = add(caption, 0, kAscent * kTickSize, Anchor::kStart);
  const bool below_caption = caption_width + 12 + kLength + kTickSize > room;
  const double x = below_caption ? snap(kTickSize) : snap(caption_width + 12);
  const double top = below_caption ? snap(kLine) : 0;
  const auto n_columns = static_cast<std::size_t>(std::max(2.0, std::round(kLength / pixel)));
  SceneCells cells{
      .x = x, .y = top + pixel, .cell_width = pixel, .cell_height = snap(kThickness), .n_rows = 1, .n_columns = n_columns};
  for (std::size_t i = 0; i < n_columns; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n_columns - 1);
    cells.colours.push_back(context.colours.at(context.scale.position_on_bar(share)));
  }
  const double length = static_cast<double>(n_columns) * pixel;
  scene.rects.push_back({x - pixel, top, length + 2 * pixel, cells.cell_height + 2 * pixel, theme.frame});
  const double ticks_top = cells.y + cells.cell_height;
  double free_from = 0;
  double right = x + length;
  for (const Tick& tick : scale_ticks(context.scale)) {
    const double width = context.measure(tick.text, kTickSize, FontWeight::kRegular);
    const double tick_x = x + tick.position * length;
    if (tick_x - width / 2 < free_from) continue;
    scene.lines.push_back({tick_x, ticks_top + 1, tick_x, ticks_top + 1 + kTickLength, 1, theme.grey});
    add(tick.text, tick_x, ticks_top + kTickLength + 3 + kAscent * kTickSize, Anchor::kMiddle);
    free_from = tick_x + width / 2 + 6;
    right = std::max(right, tick_x + width / 2);
  }
  scene.height = ticks_top + kTickLength + 3 + (kAscent + kDescent) * kTickSize;
  const std::string remarks = fmt::format("{}", fmt::join(remark_lines(context.scale, context.style), " "));
  const bool fits_beside = right + 14 + context.measure(remarks, kTickSize, FontWeight::kRegular) <= room + kMargin / 2;
  if (fits_beside) {
    scene.width = right + 14 + add(remarks, right + 14, top + kAscent * kTickSize, Anchor::kStart);
  } else {
    scene.width = std::max(right, add(remarks, 0, scene.height + kAscent * kTickSize, Anchor::kStart));
    scene.height += kLine;
  }
  scene.cells.push_back(std::move(cells));
  return scene;
}

}  // namespace attnviz
