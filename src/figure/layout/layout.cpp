// See layout.h. This file frames a body (one file per view, such as layout_map.cpp) with title, subtitle and remarks.
#include "figure/layout/layout.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/setting_error.h"
#include "figure/layout/colour_bar.h"
#include "figure/layout/layout_parts.h"
#include "figure/layout/text_fit.h"
#include "figure/marks.h"
#include "figure/view_registry.h"

namespace attnviz {
namespace {

constexpr double kNarrowestPicture = 380;  // so that a title over two tokens keeps its line
constexpr double kUnder = 14;              // between the body and the remarks under it

void check(const Figure& figure, const Style& style) {
  if (figure.panels.empty()) throw Error(ErrorKind::kBug, "figure: it has no panel");
  for (const Panel& panel : figure.panels) {
    if (panel.values.size() != panel.n_rows * panel.n_columns || panel.n_rows == 0 || panel.n_columns == 0) {
      throw Error(ErrorKind::kBug, fmt::format("figure: panel \"{}\" has {} values; expected {} x {}", panel.title,
                                               panel.values.size(), panel.n_rows, panel.n_columns));
    }
  }
  const Panel& first = figure.panels.front();
  if ((figure.panels.size() == 1 || view_spec(figure.view).labels_panels) &&
      (figure.row_labels.size() != first.n_rows || figure.column_labels.size() != first.n_columns)) {
    throw Error(ErrorKind::kBug, fmt::format("figure: {} row and {} column labels; expected {} and {}", figure.row_labels.size(),
                                             figure.column_labels.size(), first.n_rows, first.n_columns));
  }
  if (!kDpiLimits.hold(style.dpi)) {
    throw SettingError(ErrorKind::kUsage, {Setting::kDpi, fmt::format(": {} is not a usable resolution; expected {} to {}",
                                                                      style.dpi, kDpiLimits.least, kDpiLimits.most)});
  }
  if (style.width && !kWidthLimits.hold(*style.width)) {
    throw SettingError(ErrorKind::kUsage, {Setting::kWidth, fmt::format(": {} is not a usable width; expected {} to {} pixels",
                                                                        *style.width, kWidthLimits.least, kWidthLimits.most)});
  }
}

// Title and subtitle; returns their height.
double add_header(const LayoutContext& context, double width, Scene* scene) {
  const Figure& figure = context.figure;
  double y = 0;
  const auto add_lines = [&](const std::string& string, const TextStyle& style, Rgb colour) {
    for (const std::string& line : wrap_text(string, width, style, context.measure)) {
      SceneText text = context.text(line, style.size, colour, style.weight);
      text.x = kMargin;
      text.y = kMargin + y + kAscent * style.size;
      scene->texts.push_back(std::move(text));
      y += style.size * kLineSpacing;
    }
  };
  const std::optional<std::string>& own_title = context.style.title;
  add_lines(own_title.value_or(figure.title), {kTitleSize, FontWeight::kSemiBold}, context.theme.ink);
  if (own_title != "") add_lines(figure.subtitle, {kSubtitleSize, FontWeight::kRegular}, context.theme.grey);
  return y > 0 ? y + 16 : 0;
}

// The room of remarks: between two edges, from `top` downwards.
struct RemarkRoom {
  double left = 0;
  double right = 0;
  double top = 0;
};

// Returns where the remarks end.
double add_remarks(const LayoutContext& context, const Body& body, const RemarkRoom& room, Scene* scene) {
  double y = room.top;
  for (const std::string& remark : body.remarks) {
    for (const std::string& line : wrap_text(remark, room.right - room.left, {kAxisSize}, context.measure)) {
      SceneText text = context.text(line, kAxisSize, context.theme.grey);
      text.x = room.left;
      text.y = y + kAscent * kAxisSize;
      scene->texts.push_back(std::move(text));
      y += kAxisSize * kLineSpacing;
    }
  }
  return y;
}

}  // namespace

std::string thinning_remark(std::size_t step, const std::string& what) {
  const bool teens = step % 100 / 10 == 1;
  const char* ending = teens ? "th" : step % 10 == 1 ? "st" : step % 10 == 2 ? "nd" : step % 10 == 3 ? "rd" : "th";
  return fmt::format("every {}{} {}", step, ending, what);
}

std::string largest_remark(const LayoutContext& context, CellBlock block) {
  return fmt::format("each cell is the largest of {} × {} {}{}", block.rows, block.columns, context.figure.value.plural(),
                     context.scale.is_signed ? ", whatever its sign" : "");
}

std::vector<std::string> common_remarks(const LayoutContext& context) {
  const Figure& figure = context.figure;
  std::vector<std::string> remarks = panel_remarks(context);
  if (!figure.highlights.empty() && figure.panels.size() == 1) {
    remarks.insert(remarks.begin(), "marked: " + marks_remark(figure.highlights, figure.panels.front()));
  }
  return remarks;
}

std::vector<std::string> panel_remarks(const LayoutContext& context) {
  const Figure& figure = context.figure;
  std::vector<std::string> remarks;
  if (figure.sink) {
    remarks.push_back(fmt::format("sink {} is left out of the scale: {:.0f}% of all {}", figure.column_labels[*figure.sink].text,
                                  figure.sink_share * 100, figure.value.noun()));
  }
  std::size_t n_bad = 0;
  for (const Panel& panel : figure.panels) n_bad += count_bad(panel);
  if (n_bad > 0) remarks.push_back(fmt::format("{} {} cell{} hatched", n_bad, figure.bad_cell, n_bad == 1 ? " is" : "s are"));
  return remarks;
}

void add_colour_bar(const LayoutContext& context, double x, double top, double room, Scene* scene) {
  const ColourBar bar = plan_colour_bar(context, room);
  x = context.up_to_pixel(x);
  append_moved(scene, draw_colour_bar(context, bar), x, top);
  scene->width = std::max(scene->width, x + bar.width);
  scene->height = std::max(scene->height, top + bar.height);
}

void refuse_width(const LayoutContext& context, double needed) {
  const double pixels = std::ceil((needed + 2 * kMargin) / context.pixel / 10) * 10;
  throw SettingError(
      ErrorKind::kUsage,
      {Setting::kWidth, fmt::format(": {} pixels at {} dpi leave no room beside labels and colour bar; try {} or more",
                                    *context.style.width, context.style.dpi, pixels)});
}

void refuse_panels(const LayoutContext& context, std::string_view why, std::size_t most) {
  throw SettingError(ErrorKind::kUsage,
                     {Setting::kView,
                      fmt::format(" {}: {} maps {}; expected at most {}; choose some with ", view_spec(context.figure.view).name,
                                  context.figure.panels.size(), why, most),
                      Setting::kLayer, " and ", Setting::kHead, ", or combine them with ", Setting::kReduce, " mean"});
}

Scene frame_body(const Figure& figure, const Style& style, const TextMeasure& measure, const BodyLimits& limits) {
  LayoutContext context{.figure = figure,
                        .style = style,
                        .measure = measure,
                        .theme = theme_for(style.dark),
                        .colours = ValueColours(style.cmap, style.dark, figure.value.is_signed),
                        .scale = make_scale(figure, style),
                        .pixel = 96 / style.dpi,
                        .smallest_size = limits.smallest_size,
                        .tightness = limits.tightness};
  if (limits.width) context.max_width = *limits.width * context.pixel - 2 * kMargin;
  const double margin = context.up_to_pixel(kMargin);
  Body body = view_spec(figure.view).layout(context);

  Scene scene;
  scene.background = context.theme.background;
  scene.transparent = style.transparent;
  const double inner =
      style.width ? *style.width * context.pixel - 2 * kMargin : std::max(body.scene.width, kNarrowestPicture - 2 * kMargin);
  const double body_top = context.up_to_pixel(margin + add_header(context, inner, &scene));
  double bottom = body_top + body.scene.height;
  if (!body.remarks.empty()) {
    bottom = add_remarks(context, body, {margin + body.matrix_left, margin + inner, bottom + kUnder}, &scene);
  }
  append_moved(&scene, std::move(body.scene), margin, body_top);
  scene.width = style.width ? std::round(*style.width) * context.pixel : context.up_to_pixel(inner + 2 * margin);
  scene.height = context.up_to_pixel(bottom + kMargin);
  if (std::max(scene.width, scene.height) / context.pixel > kWidthLimits.most) {
    throw SettingError(ErrorKind::kUsage,
                       {Setting::kDpi,
                        fmt::format(": the picture would be {:.0f} x {:.0f} pixels; expected at most {} per side; try a lower ",
                                    scene.width / context.pixel, scene.height / context.pixel, kWidthLimits.most),
                        Setting::kDpi});
  }
  return scene;
}

Scene layout_figure(const Figure& figure, const Style& style, const TextMeasure& measure) {
  check(figure, style);
  if (style.page) return layout_on_page(figure, style, measure);
  return frame_body(figure, style, measure, {.width = style.width});
}

}  // namespace attnviz
