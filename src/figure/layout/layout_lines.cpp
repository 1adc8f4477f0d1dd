// Queries left, keys right, a curve for each link: width and opacity by weight, so that crossings show. Strong links are drawn over
// weak ones; links too weak to be seen are left out, and a remark says how much weight that is. Several maps are side by side.
//
// Links of signed values have the colour of their sign and the width of their magnitude. Marks do not change that colour: links
// of the chosen query only fade less than the others, and marked ones get an outline. Tested in tests/golden and
// tests/unit/figure/layout/layout_views_test.cpp.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "figure/layout/layout_parts.h"
#include "figure/layout/text_fit.h"
#include "figure/marks.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kMostCurves = 1500;  // per panel; more would be a grey area
constexpr double kLeastShown = 0.04;       // of the scale: fainter curves cannot be told from the ground
constexpr double kThinnest = 0.5;
constexpr double kThickest = 4;
constexpr double kFaintest = 0.12;
constexpr double kStrongest = 0.9;
constexpr double kFaintestChosen = 0.45;
constexpr double kFaded = 0.3;  // times the opacity, of links from other queries than the chosen one
constexpr double kOutline = 2;  // of a marked link of signed values, both sides together
constexpr double kLargestPitch = 22;
constexpr double kSmallestPitch = 3;
constexpr double kTallest = 1000;  // long texts try to be no taller
constexpr double kThinnedPitch = 16;
constexpr double kLongestLabel = 150;
constexpr double kLabelGap = 6;
constexpr double kTickLength = 4;
constexpr double kWidestFan = 260;  // between the two columns of words
constexpr double kNarrowestFan = 70;
constexpr double kPanelGap = 34;
constexpr double kAxisRoom = 24;  // an axis name and the space under it
constexpr double kLegendLine = 34;

struct Column {
  double pitch = 0;
  std::size_t step = 1;  // every step-th label is shown
  double font = 0;
  double first = 0;  // centre of the first word
  double widest = 0;
  std::vector<std::string> labels{};  // the shown ones

  double centre(std::size_t i) const { return first + static_cast<double>(i) * pitch; }
};

struct LinesPlan {
  Column queries{};
  Column keys{};
  double fan = 0;  // width of the curves
  double panel_width = 0;
  double top = 0;
  double height = 0;
};

double pitch_for(std::size_t n) { return std::clamp(std::floor(kTallest / static_cast<double>(n)), kSmallestPitch, kLargestPitch); }

Column plan_column(const LayoutContext& context, const std::vector<AxisLabel>& labels, double pitch) {
  Column column{.pitch = pitch, .font = std::min(kLabelSize, pitch / 1.2)};
  if (column.font < context.smallest_size) {
    while (static_cast<double>(column.step) * pitch < kThinnedPitch) column.step *= 2;
    column.font = kThinnedLabelSize;
  }
  for (std::size_t i = 0; i < labels.size(); i += column.step) {
    column.labels.push_back(elide_middle(labels[i].text, kLongestLabel, {column.font}, context.measure));
    column.widest = std::max(column.widest, context.measure(column.labels.back(), column.font, FontWeight::kRegular));
  }
  return column;
}

LinesPlan plan_lines(const LayoutContext& context) {
  const Figure& figure = context.figure;
  const std::size_t n_panels = figure.panels.size();
  if (n_panels > kMostPanels) refuse_panels(context, "do not fit side by side", kMostPanels);
  LinesPlan plan;
  const std::size_t n_rows = figure.row_labels.size();
  const std::size_t n_columns = figure.column_labels.size();
  const double pitch = std::max(pitch_for(std::max(n_rows, n_columns)) * context.tightness, kSmallestPitch);
  plan.queries = plan_column(context, figure.row_labels, pitch);
  plan.keys = plan_column(context, figure.column_labels, pitch);
  // The shorter column is centred on the longer one.
  const double room = std::max(pitch, 1.3 * std::max(plan.queries.font, plan.keys.font));
  plan.top = kAxisRoom + (n_panels > 1 ? kLabelSize * kLineSpacing : 0);
  const double most = static_cast<double>(std::max(n_rows, n_columns) - 1) * pitch;
  plan.queries.first = plan.top + room / 2 + (most - static_cast<double>(n_rows - 1) * pitch) / 2;
  plan.keys.first = plan.top + room / 2 + (most - static_cast<double>(n_columns - 1) * pitch) / 2;
  plan.height = most + room;

  const double names = std::max(context.measure(figure.row_axis, kAxisSize, FontWeight::kRegular), plan.queries.widest) +
                       std::max(context.measure(figure.column_axis, kAxisSize, FontWeight::kRegular), plan.keys.widest) +
                       2 * (kLabelGap + kTickLength);
  plan.fan = std::min(kWidestFan, std::max(kNarrowestFan, 0.9 * plan.height));
  const auto across = static_cast<double>(n_panels);
  if (context.max_width) plan.fan = (*context.max_width - (across - 1) * kPanelGap) / across - names;
  if (plan.fan < kNarrowestFan) refuse_width(context, across * (names + kNarrowestFan) + (across - 1) * kPanelGap);
  plan.panel_width = names + plan.fan;
  return plan;
}

struct Curve {
  std::size_t row = 0;
  std::size_t column = 0;
  double weight = 0;    // magnitude, where values are signed
  double position = 0;  // on the scale
  bool chosen = false;  // of the query that the picture is about
  bool marked = false;

  double strength() const { return std::abs(position); }
};

bool contains(const std::vector<std::size_t>& places, std::size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

bool is_marked(const Figure& figure, std::size_t row, std::size_t column) {
  return std::any_of(figure.highlights.begin(), figure.highlights.end(),
                     [&](const CellMark& mark) { return row - mark.row < mark.n_rows && column - mark.column < mark.n_columns; });
}

// The links to draw, weakest first, so that strong links end up on top, and the weight that this leaves out.
struct Choice {
  std::vector<Curve> curves{};
  double least = 0;  // links of less weight are not drawn
  double missing = 0;
  double all = 0;
};

Choice choose_curves(const LayoutContext& context, const Panel& panel) {
  const Figure& figure = context.figure;
  Choice choice;
  const OwnMaxima maxima = own_maxima(context, panel);
  for (std::size_t row = 0; row < panel.n_rows; ++row) {
    const bool chosen = contains(figure.rows, row);
    for (std::size_t column = 0; column < panel.n_columns; ++column) {
      const double value = panel.values[row * panel.n_columns + column];
      const double weight = context.scale.is_signed ? std::abs(value) : value;
      if (!std::isfinite(weight) || weight <= 0 || column == figure.sink) continue;
      choice.all += weight;
      const double position = context.scale.position(value, maxima.of_row(row));
      const bool marked = is_marked(figure, row, column);
      if (std::abs(position) >= kLeastShown || marked) choice.curves.push_back({row, column, weight, position, chosen, marked});
    }
  }
  const auto weaker = [](const Curve& a, const Curve& b) {
    return std::tuple(a.marked, a.chosen, a.strength()) < std::tuple(b.marked, b.chosen, b.strength());
  };
  std::stable_sort(choice.curves.begin(), choice.curves.end(), weaker);
  if (choice.curves.size() > kMostCurves) {
    choice.curves.erase(choice.curves.begin(), choice.curves.end() - static_cast<std::ptrdiff_t>(kMostCurves));
  }
  choice.missing = choice.all;
  choice.least = choice.curves.empty() ? 0 : choice.curves.back().weight;
  for (const Curve& curve : choice.curves) {
    choice.missing -= curve.weight;
    if (!curve.marked && !curve.chosen) choice.least = std::min(choice.least, curve.weight);
  }
  return choice;
}

void add_curve(const LayoutContext& context, const LinesPlan& plan, const Curve& curve, double left, Scene* scene) {
  const bool about_one = !context.figure.rows.empty();
  const double x1 = left;
  const double x2 = left + plan.fan;
  const double y1 = plan.queries.centre(curve.row);
  const double y2 = plan.keys.centre(curve.column);
  const double bend = 0.45 * plan.fan;
  double opacity = kFaintest + (kStrongest - kFaintest) * curve.strength();
  const bool stands_out = curve.marked || curve.chosen;
  if (about_one && !stands_out) opacity *= kFaded;
  if (curve.chosen) opacity = std::max(opacity, kFaintestChosen);
  if (curve.marked) opacity = 1;
  double width = kThinnest + (kThickest - kThinnest) * curve.strength();
  if (stands_out) width = std::max(1.0, width);
  const bool warm = stands_out && !context.scale.is_signed;
  if (curve.marked && !warm) {
    scene->curves.push_back({x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2, width + kOutline, 1, context.theme.ink});
  }
  scene->curves.push_back({x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2, width, opacity,
                           warm ? context.theme.warm : context.colours.stroke(curve.position)});
}

// One side's words. `x` is where the curves begin; queries end there, keys begin.
void add_words(const LayoutContext& context, const Column& column, bool queries, double x, Scene* scene) {
  const std::vector<AxisLabel>& labels = queries ? context.figure.row_labels : context.figure.column_labels;
  const double side = queries ? -1 : 1;
  for (std::size_t shown = 0; shown < column.labels.size(); ++shown) {
    const std::size_t i = shown * column.step;
    const bool chosen = queries && contains(context.figure.rows, i);
    SceneText text =
        context.text(column.labels[shown], column.font, chosen ? context.theme.warm : label_colour(context.theme, labels[i]));
    text.anchor = queries ? Anchor::kEnd : Anchor::kStart;
    text.x = x + side * (kLabelGap + (column.step > 1 ? kTickLength : 0));
    text.y = column.centre(i) + kHalfHeight * column.font;
    scene->texts.push_back(std::move(text));
    if (column.step > 1) {
      const double y = column.centre(i);
      scene->lines.push_back({x + side * 2, y, x + side * (2 + kTickLength), y, 1, context.theme.grey});
    }
  }
}

// Shows the weight beside a marked key only if all links are of one query; the caption has all weights.
void add_panel(const LayoutContext& context, const LinesPlan& plan, std::size_t index, Choice* choice, Scene* scene) {
  const Panel& panel = context.figure.panels[index];
  const double left = static_cast<double>(index) * (plan.panel_width + kPanelGap);
  const double query_names = context.measure(context.figure.row_axis, kAxisSize, FontWeight::kRegular);
  const double x1 = left + std::max(query_names, plan.queries.widest) + kLabelGap + kTickLength;
  *choice = choose_curves(context, panel);
  for (const Curve& curve : choice->curves) add_curve(context, plan, curve, x1, scene);
  add_words(context, plan.queries, true, x1, scene);
  add_words(context, plan.keys, false, x1 + plan.fan, scene);

  double y = kAscent * kLabelSize;
  if (context.figure.panels.size() > 1) {
    SceneText title = context.text(panel.title, kLabelSize, context.theme.ink, FontWeight::kSemiBold);
    title.x = left;
    title.y = y;
    scene->texts.push_back(std::move(title));
    y += kLabelSize * kLineSpacing;
  }
  SceneText query = context.text(context.figure.row_axis, kAxisSize, context.theme.grey);
  query.anchor = Anchor::kEnd;
  query.x = x1 - kLabelGap;
  SceneText key = context.text(context.figure.column_axis, kAxisSize, context.theme.grey);
  key.x = x1 + plan.fan + kLabelGap;
  query.y = key.y = y;
  scene->texts.push_back(std::move(query));
  scene->texts.push_back(std::move(key));
}

// Ticks for the legend. Those of signed values begin with the outermost of each side, in case there is room for few.
std::vector<Tick> legend_ticks(const ColourScale& scale) {
  std::vector<Tick> ticks = scale_ticks(scale);
  std::erase_if(ticks, [&](const Tick& tick) { return std::abs(scale.position_on_bar(tick.position)) < kLeastShown; });
  if (scale.is_signed) {
    std::stable_sort(ticks.begin(), ticks.end(),
                     [](const Tick& a, const Tick& b) { return std::abs(a.position - 0.5) > std::abs(b.position - 0.5) + 1e-9; });
  }
  return ticks;
}

// Round values as lines with their width and opacity. Returns the legend's height; lines that do not fit are left out.
double add_legend(const LayoutContext& context, double top, double right, Scene* scene) {
  const double y = top + kTickSize;
  SceneText caption = context.text(shares_maxima(context.scale.kind) ? "share of the maximum" : context.figure.value.caption(),
                                   kTickSize, context.theme.grey);
  caption.y = y + kHalfHeight * kTickSize;
  double x = caption.width + 12;
  scene->texts.push_back(std::move(caption));
  for (const Tick& tick : legend_ticks(context.scale)) {
    const double position = context.scale.position_on_bar(tick.position);
    const double strength = std::abs(position);
    SceneText text = context.text(tick.text, kTickSize, context.theme.grey);
    if (x + kLegendLine + text.width > right) break;
    scene->curves.push_back({x, y, x + kLegendLine / 3, y, x + 2 * kLegendLine / 3, y, x + kLegendLine - 8, y,
                             kThinnest + (kThickest - kThinnest) * strength, kFaintest + (kStrongest - kFaintest) * strength,
                             context.colours.stroke(position)});
    text.x = x + kLegendLine - 4;
    text.y = y + kHalfHeight * kTickSize;
    x = text.x + text.width + 14;
    scene->texts.push_back(std::move(text));
  }
  return 2 * kTickSize;
}

std::vector<std::string> remarks_of(const LayoutContext& context, const LinesPlan& plan, const std::vector<Choice>& choices) {
  std::vector<std::string> remarks = common_remarks(context);
  double all = 0;
  double missing = 0;
  double least = choices.front().least;
  for (const Choice& choice : choices) all += choice.all, missing += choice.missing, least = std::min(least, choice.least);
  if (all > 0 && missing > 1e-6 * all) {
    const double share = 100 * missing / all;
    remarks.push_back(fmt::format("links below {}{} are not drawn: {} of all {}{}", context.scale.is_signed ? "±" : "",
                                  format_weight(least), share < 1 ? "less than 1%" : fmt::format("{:.0f}%", share),
                                  context.figure.value.noun(), context.figure.sink ? " but the sink’s" : ""));
  }
  const std::size_t step = std::max(plan.queries.step, plan.keys.step);
  if (step > 1) remarks.push_back(thinning_remark(step, "label is shown"));
  return remarks;
}

}  // namespace

Body layout_lines(const LayoutContext& context) {
  const LinesPlan plan = plan_lines(context);
  Body body;
  Scene& scene = body.scene;
  const std::size_t n_panels = context.figure.panels.size();
  std::vector<Choice> choices(n_panels);
  for (std::size_t i = 0; i < n_panels; ++i) add_panel(context, plan, i, &choices[i], &scene);
  scene.width = static_cast<double>(n_panels) * (plan.panel_width + kPanelGap) - kPanelGap;
  const double legend_top = plan.top + plan.height + 14;
  scene.height = legend_top + add_legend(context, legend_top, scene.width, &scene);
  body.remarks = remarks_of(context, plan, choices);
  return body;
}

}  // namespace attnviz
