// One map: square cells, row labels left, column labels on top reading towards the matrix, the colour bar right.
//
// The cell size decides everything else (plan_map): font size, whether column labels lean or stand, whether only every n-th label
// is shown, and with them the margins. With a wanted width the largest cell whose plan fits is taken. A few rows of a long text
// would look like a thread: there each side has the cell size that suits its own length.
#include <attnviz/error.h>

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "base/setting_error.h"
#include "figure/cells.h"
#include "figure/layout/colour_bar.h"
#include "figure/layout/layout_parts.h"
#include "figure/layout/map_marks.h"
#include "figure/layout/text_fit.h"

namespace attnviz {
namespace {

constexpr double kSin45 = 1 / std::numbers::sqrt2;
constexpr double kSpread = 960;  // a map of many tokens tries to be this wide
constexpr double kSmallestCell = 3;
constexpr double kWidestMatrix = 3600;  // beyond, cells get smaller, then stand for several tokens
constexpr double kMostPixels = 8000;    // the same bound in device pixels
constexpr double kCellForValue = 26;
constexpr std::size_t kUsualNumber = 3;  // ".68": what a cell of that size has room for
constexpr double kThreadCell = 12;       // cells smaller than this need not be square when one side is far longer
constexpr std::size_t kMostWithHairline = 64;
constexpr double kLongestLabel = 170;
constexpr double kLabelGap = 6;  // between labels and matrix
constexpr double kLevelGap = 5;  // between two labels that stand level
constexpr double kTickLength = 4;
constexpr double kAxisRoom = 20;  // an axis name and the space beside it
constexpr double kBarGap = 22;
constexpr double kThinnedPitch = 16;

struct Label {
  SceneText text;
  double centre;  // from the matrix's first edge
};

// Cells along one side, and the labels beside them.
struct Side {
  std::size_t block = 1;  // tokens a cell stands for
  double cell = 0;        // units
  double pitch = 0;       // units a token has
  std::size_t step = 1;   // every step-th label is shown
  double font = 0;
  std::vector<Label> labels{};

  double gap() const { return kLabelGap + (step > 1 ? kTickLength - 1 : 0); }  // between labels and matrix
};

struct MapPlan {
  Side rows{};
  Side columns{};
  bool level = false;    // column labels stand level
  bool slanted = false;  // or at 45 degrees; else upright
  double left = 0;       // of the matrix
  double top = 0;
  double matrix_width = 0;
  double matrix_height = 0;
  double width = 0;  // of the body
};

struct CellChoice {
  double pixels = 1;
  std::size_t block = 1;
};

std::size_t n_tokens(const Panel& panel) { return std::max(panel.n_rows, panel.n_columns); }

// 28 units for a few tokens, 22 at 32, then what fits kSpread, at least 3; whole device pixels.
double preferred_cell(const LayoutContext& context, std::size_t n) {
  const double count = static_cast<double>(n);
  double cell = n <= 32 ? std::clamp(28 - (count - 12) * 0.3, 22.0, 28.0) : std::min(22.0, kSpread / count);
  if (context.style.values) cell = std::max(cell, kCellForValue);
  cell = std::max(std::floor(cell), kSmallestCell);
  return std::min(cell, kWidestMatrix / count);
}

bool has_own_sides(const LayoutContext& context) {
  const Panel& panel = context.figure.panels.front();
  return n_tokens(panel) > 2 * std::min(panel.n_rows, panel.n_columns) && preferred_cell(context, n_tokens(panel)) < kThreadCell;
}

Side plan_side(const LayoutContext& context, CellChoice choice, const std::vector<AxisLabel>& labels, double longest) {
  Side side{.block = choice.block, .cell = choice.pixels * context.pixel};
  side.pitch = side.cell / static_cast<double>(choice.block);
  side.font = std::min(kLabelSize, side.pitch / 1.2);
  if (side.font < context.smallest_size) {
    while (static_cast<double>(side.step) * side.pitch < kThinnedPitch) side.step *= 2;
    side.font = kThinnedLabelSize;
  }
  for (std::size_t i = 0; i < labels.size(); i += side.step) {
    const std::string text = elide_middle(labels[i].text, longest, {side.font}, context.measure);
    side.labels.push_back(
        {context.text(text, side.font, label_colour(context.theme, labels[i])), (static_cast<double>(i) + 0.5) * side.pitch});
  }
  return side;
}

// Margins: the row labels, or the room of column labels that lean to the left if it is larger.
void measure_margins(const LayoutContext& context, MapPlan* plan) {
  double row_label = 0;
  for (const Label& label : plan->rows.labels) row_label = std::max(row_label, label.text.width);
  double left = kAxisRoom + row_label + plan->rows.gap();
  double above = 0;
  for (const Label& label : plan->columns.labels) {
    if (plan->level) {
      above = plan->columns.font * kAscent;
    } else if (plan->slanted) {
      left = std::max(left, (label.text.width + plan->columns.font * 0.6) * kSin45 - label.centre);
      above = std::max(above, (label.text.width + plan->columns.font * 0.5) * kSin45 + 1);
    } else {
      above = std::max(above, label.text.width);
    }
  }
  plan->left = context.up_to_pixel(left);
  plan->top = context.up_to_pixel(kAxisRoom + above + plan->columns.gap());
}

MapPlan plan_map(const LayoutContext& context, CellChoice rows, CellChoice columns) {
  const Panel& panel = context.figure.panels.front();
  const double longest = context.max_width ? std::clamp(*context.max_width * 0.22, 40.0, kLongestLabel) : kLongestLabel;
  MapPlan plan;
  plan.rows = plan_side(context, rows, context.figure.row_labels, longest);
  plan.columns = plan_side(context, columns, context.figure.column_labels, longest);
  const double label_pitch = static_cast<double>(plan.columns.step) * plan.columns.pitch;
  plan.level =
      context.figure.level_columns && std::all_of(plan.columns.labels.begin(), plan.columns.labels.end(),
                                                  [&](const Label& label) { return label.text.width + kLevelGap <= label_pitch; });
  plan.slanted = !plan.level && label_pitch * kSin45 >= 1.1 * plan.columns.font;
  measure_margins(context, &plan);
  plan.matrix_width = static_cast<double>(n_blocks(panel.n_columns, columns.block)) * plan.columns.cell;
  plan.matrix_height = static_cast<double>(n_blocks(panel.n_rows, rows.block)) * plan.rows.cell;
  const ColourBar bar = plan_colour_bar(context, plan.matrix_height);
  const double axis_name = context.measure(context.figure.column_axis, kAxisSize, FontWeight::kRegular);
  plan.width = std::max(plan.left + plan.matrix_width + kBarGap + context.pixel + bar.width, plan.left + axis_name);
  return plan;
}

// Cells of `n` tokens where no width is asked for.
CellChoice free_choice(const LayoutContext& context, std::size_t n) {
  const double pixels = std::min(preferred_cell(context, n) / context.pixel, kMostPixels / static_cast<double>(n));
  if (pixels >= 1) return {std::max(1.0, std::floor(pixels + 1e-6)), 1};
  return {1, static_cast<std::size_t>(std::ceil(1 / pixels))};
}

MapPlan choose_plan(const LayoutContext& context) {
  const Panel& panel = context.figure.panels.front();
  const bool own_sides = has_own_sides(context);
  const std::size_t n = own_sides ? panel.n_columns : n_tokens(panel);  // what the cells' width is chosen for
  const auto plan_with = [&](CellChoice columns) {
    return plan_map(context, own_sides ? free_choice(context, panel.n_rows) : columns, columns);
  };
  if (!context.max_width) return plan_with(free_choice(context, n));
  const double available = std::min(*context.max_width / context.pixel, kMostPixels);
  for (double cell = std::floor(available / static_cast<double>(panel.n_columns)); cell >= 1; --cell) {
    if (cell * static_cast<double>(n) > kMostPixels) continue;
    const MapPlan plan = plan_with({cell, 1});
    if (plan.width <= *context.max_width) return plan;
  }
  for (std::size_t block = 2; block <= n; ++block) {
    const MapPlan plan = plan_with({1, block});
    if (plan.width <= *context.max_width && static_cast<double>(n_blocks(n, block)) <= kMostPixels) return plan;
  }
  refuse_width(context, plan_with({1, n}).width);
}

void add_row_labels(const LayoutContext& context, const MapPlan& plan, Scene* scene) {
  const double half = kHalfHeight * plan.rows.font;
  for (const Label& label : plan.rows.labels) {
    const double y = plan.top + label.centre;
    scene->texts.push_back(label.text);
    SceneText& text = scene->texts.back();
    text.anchor = Anchor::kEnd;
    text.x = plan.left - plan.rows.gap();
    text.y = y + half;
    if (plan.rows.step > 1) scene->lines.push_back({plan.left - kTickLength - 2, y, plan.left - 2, y, 1, context.theme.grey});
  }
}

void add_column_labels(const LayoutContext& context, const MapPlan& plan, Scene* scene) {
  const double font = plan.columns.font;
  const double half = kHalfHeight * font;
  for (const Label& label : plan.columns.labels) {
    const double x = plan.left + label.centre;
    scene->texts.push_back(label.text);
    SceneText& text = scene->texts.back();
    if (plan.level) {
      text.anchor = Anchor::kMiddle;
      text.x = x;
      text.y = plan.top - plan.columns.gap();
    } else {
      text.anchor = Anchor::kEnd;
      text.angle = plan.slanted ? 45 : 90;
      text.x = x - half * (plan.slanted ? kSin45 : 1);
      text.y = plan.top - plan.columns.gap() + half * (plan.slanted ? kSin45 : 0);
      if (plan.slanted) text.x -= 1, text.y -= 0.3 * font;  // the lower corner of the last letter stays off the matrix
    }
    if (plan.columns.step > 1) scene->lines.push_back({x, plan.top - kTickLength - 2, x, plan.top - 2, 1, context.theme.grey});
  }
}

// Both names start at the matrix's upper left corner, where reading starts. The left one reads upwards.
void add_axis_names(const LayoutContext& context, const MapPlan& plan, Scene* scene) {
  SceneText columns = context.text(context.figure.column_axis, kAxisSize, context.theme.grey);
  columns.x = plan.left;
  columns.y = kAscent * kAxisSize;
  SceneText rows = context.text(context.figure.row_axis, kAxisSize, context.theme.grey);
  rows.angle = -90;
  rows.anchor = Anchor::kEnd;
  rows.x = kAscent * kAxisSize;
  rows.y = plan.top;
  scene->height = std::max(scene->height, plan.top + rows.width);
  scene->texts.push_back(std::move(columns));
  scene->texts.push_back(std::move(rows));
}

// Numbers in the cells, as large as the widest of them allows.
void add_values(const LayoutContext& context, const MapPlan& plan, const SceneCells& cells, Scene* scene) {
  const Panel& panel = context.figure.panels.front();
  const double smaller = std::min(plan.rows.cell, plan.columns.cell);
  std::vector<std::string> numbers;
  double font = std::min(12.0, smaller * 0.4);
  for (const float value : panel.values) {
    numbers.push_back(format_cell_value(value, context.figure.value.decimals));
    const double width = context.measure(numbers.back(), font, FontWeight::kRegular);
    if (numbers.back().size() > kUsualNumber) font = std::min(font, font * (plan.columns.cell - cells.gap - 2) / width);
  }
  if (std::max(plan.rows.block, plan.columns.block) > 1 || font < context.smallest_size) {
    throw SettingError(ErrorKind::kUsage, {Setting::kValues,
                                           fmt::format(": {} x {} cells of {:.0f} pixels have no room for numbers; try a larger ",
                                                       panel.n_rows, panel.n_columns, smaller / context.pixel),
                                           Setting::kWidth, ", or fewer tokens"});
  }
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    if (!std::isfinite(panel.values[i])) continue;  // hatched instead
    const std::string& number = numbers[i];
    const bool is_nothing = number.find_first_of("123456789") == std::string::npos;
    const Rgb strong = more_readable(cells.colours[i], context.theme.paper, context.theme.coal);
    SceneText text = context.text(number, font, is_nothing && strong == context.theme.ink ? context.theme.special : strong);
    text.anchor = Anchor::kMiddle;
    const auto row = static_cast<double>(i / panel.n_columns);
    const auto column = static_cast<double>(i % panel.n_columns);
    text.x = cells.x + (column + 0.5) * plan.columns.cell - cells.gap / 2;
    text.y = cells.y + (row + 0.5) * plan.rows.cell - cells.gap / 2 + kHalfHeight * font;
    scene->texts.push_back(std::move(text));
  }
}

std::vector<std::string> remarks_of(const LayoutContext& context, const MapPlan& plan) {
  std::vector<std::string> remarks = common_remarks(context);
  const Side& rows = plan.rows;
  const Side& columns = plan.columns;
  if (rows.step > 1 && rows.step == columns.step) {
    remarks.push_back(thinning_remark(rows.step, "label is shown"));
  } else {
    if (rows.step > 1) remarks.push_back(thinning_remark(rows.step, "row label is shown"));
    if (columns.step > 1) remarks.push_back(thinning_remark(columns.step, "column label is shown"));
  }
  if (std::max(rows.block, columns.block) > 1) {
    remarks.push_back(largest_remark(context, {rows.block, columns.block}));
  }
  return remarks;
}

}  // namespace

Body layout_map(const LayoutContext& context) {
  if (context.figure.panels.size() > 1) return layout_grid(context);  // several maps are thumbnails
  const Panel& panel = context.figure.panels.front();
  const MapPlan plan = choose_plan(context);
  Body body;
  Scene& scene = body.scene;
  scene.width = plan.width;
  scene.height = plan.top + plan.matrix_height;

  const CellBlock block{plan.rows.block, plan.columns.block};
  SceneCells cells = colour_cells(panel, context.scale, context.colours, block, left_out(context));
  cells.x = plan.left;
  cells.y = plan.top;
  cells.cell_width = plan.columns.cell;
  cells.cell_height = plan.rows.cell;
  if (n_tokens(panel) <= kMostWithHairline && plan.columns.cell >= 4 * context.pixel)
    cells.gap = std::max(1.0, std::round(1 / context.pixel)) * context.pixel;
  add_row_labels(context, plan, &scene);
  add_column_labels(context, plan, &scene);
  add_axis_names(context, plan, &scene);
  if (context.style.values) add_values(context, plan, cells, &scene);
  if (cells.gap == 0) {
    const double hairline = context.up_to_pixel(1);
    scene.rects.push_back({plan.left - hairline, plan.top - hairline, plan.matrix_width + 2 * hairline,
                           plan.matrix_height + 2 * hairline, context.theme.frame});
  }
  add_hatches(panel, cells, block, context.theme, &scene);
  scene.cells.push_back(std::move(cells));
  mark_cells(context, block, kBarGap - 6, &scene);
  add_colour_bar(context, plan.left + plan.matrix_width + kBarGap, plan.top, plan.matrix_height, &scene);
  body.matrix_left = plan.left;
  body.remarks = remarks_of(context, plan);
  return body;
}

}  // namespace attnviz
