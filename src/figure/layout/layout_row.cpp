// One query's distribution over the keys: bars with words and numbers in reading order, and the sentence, shaded, on top. Of a long
// text only the strongest keys have bars, and a remark gives what the others add up to. Several maps are side by side.
//
// Bars of signed values run to both sides of a zero line, each with its number at its end; the two sides share the room by what
// they need. Tested in tests/unit/figure/layout/layout_views_test.cpp and tests/golden.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "figure/layout/layout_parts.h"
#include "figure/layout/map_marks.h"
#include "figure/layout/sentence.h"
#include "figure/layout/text_fit.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kMostBars = 64;
constexpr std::size_t kShownOfMany = 48;  // once there are more than kMostBars
constexpr double kPitch = 20;
constexpr double kDensePitch = 16;  // of more than kDense bars
constexpr std::size_t kDense = 33;
constexpr double kBarShare = 0.68;  // of the pitch
constexpr double kLongestBar = 260;
constexpr double kLongestOfSeveral = 130;
constexpr double kShortestBar = 40;
constexpr double kLongestLabel = 150;
constexpr double kLabelGap = 8;
constexpr double kNumberGap = 6;
constexpr double kPanelGap = 24;
constexpr double kSentenceGap = 22;
constexpr double kNarrowestSentence = 560;
constexpr double kAxisRoom = 22;

struct BarsPlan {
  std::vector<std::size_t> shown{};   // columns, in reading order
  std::vector<std::string> labels{};  // of these
  double pitch = 0;
  double label_width = 0;
  double bar = 0;   // room of the bars, both sides of the zero line together
  double unit = 0;  // length of a bar at position 1 of the scale
  double zero = 0;  // the zero line, from a panel's left edge
  double number_width = 0;
  double panel_width = 0;  // without the words
  double width = 0;
  double height = 0;
};

// Numbers with the same decimals, so that they line up: three for an attention weight.
std::string format_bar_value(const Figure& figure, double value) {
  if (!std::isfinite(value)) return figure.bad_cell;
  if (value == 0) return "0";
  const int decimals = figure.value.decimals + 1;
  const double last_place = std::pow(10.0, -decimals);
  if (value > 0 && value < last_place / 2) return fmt::format("<{:.{}f}", last_place, decimals);
  return fmt::format("{}{:.{}f}", value <= -last_place / 2 ? "−" : "", std::abs(value), decimals);
}

// All keys; if there are many, the strongest of any panel, the query and the marked ones.
std::vector<std::size_t> shown_columns(const Figure& figure) {
  const std::size_t n = figure.column_labels.size();
  std::vector<std::size_t> columns(n);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (n <= kMostBars) return columns;
  const auto strength = [&](std::size_t column) {
    float most = -1;
    for (const Panel& panel : figure.panels) {
      const float value = figure.value.is_signed ? std::abs(panel.values[column]) : panel.values[column];
      most = std::isfinite(value) ? std::max(most, value) : std::numeric_limits<float>::infinity();
    }
    return most;
  };
  std::stable_sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) { return strength(a) > strength(b); });
  std::set<std::size_t> shown(columns.begin(), columns.begin() + kShownOfMany);
  shown.insert(figure.query_columns.begin(), figure.query_columns.end());
  for (const CellMark& mark : figure.highlights) {
    for (std::size_t i = 0; i < mark.n_columns; ++i) shown.insert(mark.column + i);
  }
  return {shown.begin(), shown.end()};
}

// How far bars reach to both sides of the zero line, as positions of the scale: 0 and 1 for values from 0 up.
struct Reach {
  double below = 0;
  double above = 1;
};

Reach reach_of(const LayoutContext& context, const std::vector<std::size_t>& shown) {
  if (!context.scale.is_signed) return {};
  Reach reach{0, 0};
  for (const Panel& panel : context.figure.panels) {
    const double maximum = own_maxima(context, panel).of_row(0);
    for (const std::size_t column : shown) {
      if (!std::isfinite(panel.values[column]) || column == context.figure.sink) continue;
      const double position = context.scale.position(panel.values[column], maximum);
      reach.below = std::max(reach.below, -position);
      reach.above = std::max(reach.above, position);
    }
  }
  if (reach.below + reach.above == 0) reach.above = 1;  // nothing but zeros
  return reach;
}

// The widest number, but at least the width of the text for small ones.
double number_width(const LayoutContext& context, const std::vector<std::size_t>& shown) {
  double widest = context.measure("<0.001", kTickSize, FontWeight::kSemiBold);
  for (const Panel& panel : context.figure.panels) {
    for (const std::size_t column : shown) {
      const std::string number = format_bar_value(context.figure, panel.values[column]);
      widest = std::max(widest, context.measure(number, kTickSize, FontWeight::kSemiBold));
    }
  }
  return widest;
}

BarsPlan plan_bars(const LayoutContext& context) {
  const Figure& figure = context.figure;
  const auto n_panels = static_cast<double>(figure.panels.size());
  BarsPlan plan{.shown = shown_columns(figure)};
  plan.pitch = std::max((plan.shown.size() > kDense ? kDensePitch : kPitch) * context.tightness, 1.2 * context.smallest_size);
  const double font = std::min(kLabelSize, plan.pitch / 1.2);
  for (const std::size_t column : plan.shown) {
    plan.labels.push_back(elide_middle(figure.column_labels[column].text, kLongestLabel, {font}, context.measure));
    plan.label_width = std::max(plan.label_width, context.measure(plan.labels.back(), font, FontWeight::kSemiBold));
  }
  plan.number_width = number_width(context, plan.shown);
  const Reach reach = reach_of(context, plan.shown);
  const double left_numbers = reach.below > 0 ? plan.number_width + kNumberGap : 0;
  plan.bar = n_panels > 1 ? kLongestOfSeveral : kLongestBar;
  for (const Panel& panel : figure.panels) {
    if (n_panels > 1)
      plan.bar = std::max(plan.bar, context.measure(panel.title, kLabelSize, FontWeight::kSemiBold) - plan.number_width);
  }
  const double between = (n_panels - 1) * kPanelGap;
  const double beside = plan.label_width + kLabelGap + between + n_panels * (left_numbers + kNumberGap + plan.number_width);
  if (context.max_width) plan.bar = std::min((*context.max_width - beside) / n_panels, 2 * plan.bar);
  if (plan.bar < kShortestBar) refuse_width(context, beside + n_panels * kShortestBar);
  plan.bar = std::floor(plan.bar / context.pixel) * context.pixel;
  plan.unit = plan.bar / (reach.below + reach.above);
  plan.zero = std::round((left_numbers + reach.below * plan.unit) / context.pixel) * context.pixel;
  plan.panel_width = left_numbers + plan.bar + kNumberGap + plan.number_width;
  plan.width = plan.label_width + kLabelGap + n_panels * plan.panel_width + between;
  plan.height = kAxisRoom + static_cast<double>(plan.shown.size()) * plan.pitch;
  return plan;
}

double centre_of(const BarsPlan& plan, std::size_t i) { return kAxisRoom + (static_cast<double>(i) + 0.5) * plan.pitch; }

bool is_marked(const Figure& figure, std::size_t column) {
  return std::any_of(figure.highlights.begin(), figure.highlights.end(),
                     [&](const CellMark& mark) { return column - mark.column < mark.n_columns; });
}

bool is_query(const Figure& figure, std::size_t column) {
  return std::find(figure.query_columns.begin(), figure.query_columns.end(), column) != figure.query_columns.end();
}

// The words, the query's underlined as in the sentence, and dots where keys are left out between two of them.
void add_words(const LayoutContext& context, const BarsPlan& plan, Scene* scene) {
  const Figure& figure = context.figure;
  const double font = std::min(kLabelSize, plan.pitch / 1.2);
  for (std::size_t i = 0; i < plan.shown.size(); ++i) {
    const std::size_t column = plan.shown[i];
    const bool marked = is_marked(figure, column);
    SceneText text =
        context.text(plan.labels[i], font, marked ? context.theme.warm : label_colour(context.theme, figure.column_labels[column]),
                     marked ? FontWeight::kSemiBold : FontWeight::kRegular);
    text.anchor = Anchor::kEnd;
    text.x = plan.label_width;
    text.y = centre_of(plan, i) + kHalfHeight * font;
    if (is_query(figure, column)) {
      scene->lines.push_back({text.x - text.width, text.y + 2.5, text.x, text.y + 2.5, 1.5, context.theme.ink});
    }
    scene->texts.push_back(std::move(text));
    if (i > 0 && column != plan.shown[i - 1] + 1) {
      const double y = centre_of(plan, i) - plan.pitch / 2;
      scene->lines.push_back({plan.label_width - 12, y, plan.width, y, 0.5, context.theme.frame});
    }
  }
}

struct Bar {
  std::size_t index = 0;  // among the shown ones
  double value = 0;
  double position = 0;  // on the scale
  double zero = 0;      // x of the zero line
};

void add_bar(const LayoutContext& context, const BarsPlan& plan, const Bar& bar, Scene* scene) {
  const std::size_t column = plan.shown[bar.index];
  const double height = std::max(1.0, std::round(kBarShare * plan.pitch / context.pixel)) * context.pixel;
  const double top = std::round((centre_of(plan, bar.index) - height / 2) / context.pixel) * context.pixel;
  const bool marked = is_marked(context.figure, column);
  bool leftwards = bar.position < 0;
  double length = std::round(std::abs(bar.position) * plan.unit / context.pixel) * context.pixel;
  if (!std::isfinite(bar.value)) {
    leftwards = false;
    length = 2 * height;
    scene->hatches.push_back({bar.zero, top, length, height, context.theme.blank, context.theme.hatch});
  } else if (column == context.figure.sink) {  // as long as its side allows: its true length is out of scale
    length =
        leftwards ? plan.zero - (plan.number_width + kNumberGap) : plan.panel_width - plan.zero - plan.number_width - kNumberGap;
    scene->rects.push_back({leftwards ? bar.zero - length : bar.zero, top, length, height, context.theme.blank});
  } else if (length > 0) {
    // For signed values only the word and the number show a mark, because the bar's colour shows the sign.
    const Rgb colour = marked && !context.scale.is_signed ? context.theme.warm : context.colours.stroke(bar.position);
    scene->rects.push_back({leftwards ? bar.zero - length : bar.zero, top, length, height, colour});
  }
  SceneText number =
      context.text(format_bar_value(context.figure, bar.value), kTickSize, marked ? context.theme.warm : context.theme.grey,
                   marked ? FontWeight::kSemiBold : FontWeight::kRegular);
  number.anchor = leftwards ? Anchor::kEnd : Anchor::kStart;
  number.x = bar.zero + (leftwards ? -1 : 1) * (length + kNumberGap);
  number.y = centre_of(plan, bar.index) + kHalfHeight * kTickSize;
  scene->texts.push_back(std::move(number));
}

std::string axis_caption(const LayoutContext& context) {
  const ColourScale& scale = context.scale;
  const std::string name = context.figure.value.caption();
  if (scale.kind == Scale::kLog) return name + ", log scale";
  if (scale.share_above > 0) {
    return fmt::format("{}, bars end at {}{}", name, scale.is_signed ? "±" : "", format_weight(scale.high));
  }
  return shares_maxima(scale.kind) ? "share of the maximum" : name;
}

void add_panel(const LayoutContext& context, const BarsPlan& plan, std::size_t index, Scene* scene) {
  const Panel& panel = context.figure.panels[index];
  const double left =
      context.up_to_pixel(plan.label_width + kLabelGap + static_cast<double>(index) * (plan.panel_width + kPanelGap));
  const bool several = context.figure.panels.size() > 1;
  SceneText title = several ? context.text(panel.title, kLabelSize, context.theme.ink, FontWeight::kSemiBold)
                            : context.text(axis_caption(context), kAxisSize, context.theme.grey);
  title.x = left;
  title.y = kAscent * kLabelSize;
  scene->texts.push_back(std::move(title));
  const double maximum = own_maxima(context, panel).of_row(0);
  const double zero = left + plan.zero;
  scene->lines.push_back(
      {zero - 0.5, kAxisRoom, zero - 0.5, plan.height, 1, context.scale.is_signed ? context.theme.grey : context.theme.frame});
  for (std::size_t i = 0; i < plan.shown.size(); ++i) {
    const double value = panel.values[plan.shown[i]];
    add_bar(context, plan, {i, value, context.scale.position(value, maximum), zero}, scene);
  }
}

std::vector<std::string> remarks_of(const LayoutContext& context, const BarsPlan& plan) {
  std::vector<std::string> remarks = common_remarks(context);
  const std::size_t n_left = context.figure.column_labels.size() - plan.shown.size();
  if (n_left > 0) {
    double most = 0;
    double sum = 0;
    const Panel& panel = context.figure.panels.front();
    for (std::size_t column = 0; column < panel.n_columns; ++column) {
      if (std::binary_search(plan.shown.begin(), plan.shown.end(), column)) continue;
      const double value = panel.values[column];
      most = std::max(most, context.scale.is_signed ? std::abs(value) : value);
      sum += value;
    }
    const std::string together = context.figure.panels.size() == 1 ? fmt::format(", {} together", format_weight(sum)) : "";
    remarks.push_back(fmt::format("{} keys of at most {}{} are left out{}", n_left, context.scale.is_signed ? "±" : "",
                                  format_weight(most), together));
  }
  return remarks;
}

}  // namespace

Body layout_row(const LayoutContext& context) {
  if (context.figure.panels.size() > kMostPanels) refuse_panels(context, "have too many bars to fit side by side", kMostPanels);
  const BarsPlan plan = plan_bars(context);
  Body body;
  double top = 0;
  if (context.figure.panels.size() == 1) {
    const double width = context.max_width.value_or(std::max(kNarrowestSentence, plan.width));
    body.scene = draw_sentence(context, context.figure.panels.front(), {.width = width});
    top = context.up_to_pixel(body.scene.height + kSentenceGap);
  }
  Scene bars;
  add_words(context, plan, &bars);
  for (std::size_t i = 0; i < context.figure.panels.size(); ++i) add_panel(context, plan, i, &bars);
  append_moved(&body.scene, std::move(bars), 0, top);
  body.scene.width = std::max(body.scene.width, plan.width);
  body.scene.height = top + plan.height;
  body.remarks = remarks_of(context, plan);
  return body;
}

}  // namespace attnviz
