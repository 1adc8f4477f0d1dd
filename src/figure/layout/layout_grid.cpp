// Many heads: thumbnails without labels, layers down, heads across, their numbers once on each edge.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/setting_error.h"
#include "figure/cells.h"
#include "figure/layout/colour_bar.h"
#include "figure/layout/layout_parts.h"
#include "figure/marks.h"

namespace attnviz {
namespace {

constexpr double kSmallestThumbnail = 72;
constexpr double kLargestThumbnail = 110;
constexpr double kLeastThumbnail = 8;  // enough to see which heads differ
constexpr double kWantedWidth = 1200;  // of all thumbnails of a layer
constexpr double kGutter = 6;
constexpr double kMostAcross = 4000;  // device pixels of all thumbnails in a row or column; beyond, they shrink
constexpr double kThreadCell = 18;    // of the short side of a map far longer than wide
constexpr double kEdgeGap = 8;
constexpr double kUnderSize = 9;  // of weights under thumbnails
constexpr double kUnderLine = 12;
constexpr double kLeastForNumbers = 30;  // narrower thumbnails have none
constexpr std::size_t kMostMarks = 3;
constexpr std::size_t kStrongest = 3;   // of the weights under thumbnails, in the warm colour
constexpr double kLeastMarkedCell = 4;  // smaller cells have no frame
constexpr double kBarGap = 22;
constexpr double kAxisRoom = 20;

struct GridPlan {
  std::vector<std::size_t> layers{};
  std::vector<std::size_t> heads{};
  CellBlock block{};
  double cell_width = 0;
  double cell_height = 0;
  double thumb_width = 0;
  double thumb_height = 0;
  double gutter = 0;
  double under = 0;  // room below each thumbnail, for weights of marked links
  double left = 0;
  double top = 0;
  double matrix_width = 0;
  double matrix_height = 0;
  double width = 0;
};

struct CellChoice {
  double pixels;  // of one cell
  std::size_t block;
};

// Cells of whole device pixels, or several tokens per pixel, whose thumbnail comes nearest to the target size; not above it if
// `at_most`.
CellChoice choose_cell(std::size_t n, double target_pixels, bool at_most) {
  const double count = static_cast<double>(n);
  // Of the sizes below and above the target, the one with the smaller ratio to it.
  const auto above_is_nearer = [&](double below, double above) {
    return !at_most && above * below < target_pixels * target_pixels;
  };
  const double pixels = std::floor(target_pixels / count);
  if (pixels >= 1) return {above_is_nearer(pixels * count, (pixels + 1) * count) ? pixels + 1 : pixels, 1};
  const auto block = static_cast<std::size_t>(std::ceil(count / std::max(1.0, target_pixels)));
  const bool finer = above_is_nearer(count / static_cast<double>(block), count / static_cast<double>(block - 1));
  return {1, finer ? block - 1 : block};
}

double span(std::size_t n, double thumb, double gutter) { return static_cast<double>(n) * (thumb + gutter) - gutter; }

double target_thumbnail(const LayoutContext& context, const GridPlan& plan, double outside) {
  const auto across = static_cast<double>(plan.heads.size());
  const auto most = static_cast<double>(std::max(plan.heads.size(), plan.layers.size()));
  if (context.max_width) return (*context.max_width - outside + plan.gutter) / across - plan.gutter;
  const double wanted = std::clamp(kWantedWidth / across - plan.gutter, kSmallestThumbnail, kLargestThumbnail);
  return std::min(wanted, kMostAcross * std::max(1.0, context.pixel) / most - plan.gutter);
}

// Square cells, unless the map has a few rows of a long text and would look like a thread: then its short side gets larger cells.
void choose_cells(const LayoutContext& context, std::size_t n_rows, std::size_t n_columns, double target, GridPlan* plan) {
  const std::size_t n = std::max(n_rows, n_columns);
  const auto choose = [&](std::size_t side) {
    if (n <= 4 * std::min(n_rows, n_columns)) return choose_cell(n, target, context.max_width.has_value());
    const double most = static_cast<double>(side) * kThreadCell / context.pixel;
    return choose_cell(side, std::min(target, most), context.max_width.has_value());
  };
  const CellChoice rows = choose(n_rows);
  const CellChoice columns = choose(n_columns);
  plan->block = {rows.block, columns.block};
  plan->cell_width = columns.pixels * context.pixel;
  plan->cell_height = rows.pixels * context.pixel;
  plan->thumb_width = static_cast<double>(n_blocks(n_columns, columns.block)) * plan->cell_width;
  plan->thumb_height = static_cast<double>(n_blocks(n_rows, rows.block)) * plan->cell_height;
}

// "H3", or the name of a combination ("mean").
std::string edge_label(const LayoutContext& context, bool across, std::size_t number) {
  const std::string& name = across ? context.figure.head_name : context.figure.layer_name;
  return name.empty() ? fmt::format("{}{}", across ? "H" : "L", number) : name;
}

GridPlan plan_grid(const LayoutContext& context) {
  GridPlan plan;
  std::set<std::size_t> layers;
  std::set<std::size_t> heads;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  for (const Panel& panel : context.figure.panels) {
    layers.insert(panel.layer);
    heads.insert(panel.head);
    n_rows = std::max(n_rows, panel.n_rows);
    n_columns = std::max(n_columns, panel.n_columns);
  }
  plan.layers.assign(layers.begin(), layers.end());
  plan.heads.assign(heads.begin(), heads.end());
  plan.gutter = context.up_to_pixel(kGutter);
  const std::string widest = edge_label(context, false, plan.layers.back());
  plan.left = context.up_to_pixel(kAxisRoom + context.measure(widest, kAxisSize, FontWeight::kRegular) + kEdgeGap);
  plan.top = context.up_to_pixel(kAxisRoom + kAxisSize + kEdgeGap);

  const ColourBar bar = plan_colour_bar(context, 0);
  const double outside = plan.left + kBarGap + context.pixel + bar.width;
  const double target = target_thumbnail(context, plan, outside);
  if (target < kLeastThumbnail) {
    if (context.max_width) refuse_width(context, outside + span(plan.heads.size(), kLeastThumbnail, plan.gutter));
    throw Error(ErrorKind::kUsage,
                fmt::format("{} layers x {} heads do not fit one picture; try fewer of them", layers.size(), heads.size()));
  }
  choose_cells(context, n_rows, n_columns, target / context.pixel, &plan);
  if (plan.thumb_width >= kLeastForNumbers) {
    plan.under = context.up_to_pixel(static_cast<double>(context.figure.highlights.size()) * kUnderLine);
  }
  if (context.max_width && plan.heads.size() > 1) {  // what rounding to whole pixels leaves goes between the thumbnails
    const double left_over = *context.max_width - outside - span(plan.heads.size(), plan.thumb_width, plan.gutter);
    const double pixels = std::floor(std::max(0.0, left_over) / static_cast<double>(plan.heads.size() - 1) / context.pixel);
    plan.gutter = std::min(plan.gutter + pixels * context.pixel, 3 * plan.gutter);
  }
  plan.matrix_width = span(plan.heads.size(), plan.thumb_width, plan.gutter);
  plan.matrix_height = span(plan.layers.size(), plan.thumb_height + plan.under, plan.gutter);
  plan.width = outside + plan.matrix_width;
  return plan;
}

// Numbers on the edge: all of them where thumbnails are large enough, else every n-th.
std::size_t label_step(double thumb, double gutter, double label) {
  std::size_t step = 1;
  while (static_cast<double>(step) * (thumb + gutter) < label + 4) step *= 2;
  return step;
}

std::size_t add_edge(const LayoutContext& context, const GridPlan& plan, bool across, Scene* scene) {
  const std::vector<std::size_t>& numbers = across ? plan.heads : plan.layers;
  const double thumb = across ? plan.thumb_width : plan.thumb_height;
  const double widest = context.measure(edge_label(context, across, numbers.back()), kAxisSize, FontWeight::kRegular);
  const std::size_t step = label_step(thumb, plan.gutter, across ? widest : kAxisSize * 1.1);
  for (std::size_t i = 0; i < numbers.size(); i += step) {
    SceneText text = context.text(edge_label(context, across, numbers[i]), kAxisSize, context.theme.ink);
    const double pitch = thumb + plan.gutter + (across ? 0 : plan.under);
    const double centre = static_cast<double>(i) * pitch + thumb / 2;
    text.anchor = across ? Anchor::kMiddle : Anchor::kEnd;
    text.x = across ? plan.left + centre : plan.left - kEdgeGap;
    text.y = across ? plan.top - kEdgeGap : plan.top + centre + kHalfHeight * kAxisSize;
    scene->texts.push_back(std::move(text));
  }
  return step;
}

void add_axis_names(const LayoutContext& context, const GridPlan& plan, Scene* scene) {
  SceneText heads = context.text("head", kAxisSize, context.theme.grey);
  heads.x = plan.left;
  heads.y = kAscent * kAxisSize;
  SceneText layers = context.text("layer", kAxisSize, context.theme.grey);
  layers.angle = -90;
  layers.anchor = Anchor::kEnd;
  layers.x = kAscent * kAxisSize;
  layers.y = plan.top;
  scene->texts.push_back(std::move(heads));
  scene->texts.push_back(std::move(layers));
}

std::size_t index_of(const std::vector<std::size_t>& sorted, std::size_t number) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
}

Point corner_of(const GridPlan& plan, const Panel& panel) {
  return {plan.left + static_cast<double>(index_of(plan.heads, panel.head)) * (plan.thumb_width + plan.gutter),
          plan.top + static_cast<double>(index_of(plan.layers, panel.layer)) * (plan.thumb_height + plan.under + plan.gutter)};
}

void frame_marks(const LayoutContext& context, const GridPlan& plan, const SceneCells& cells, Scene* scene) {
  if (std::max(plan.block.rows, plan.block.columns) > 1 || std::min(cells.cell_width, cells.cell_height) < kLeastMarkedCell) return;
  for (const CellMark& mark : context.figure.highlights) {
    scene->frames.push_back({cells.x + static_cast<double>(mark.column) * cells.cell_width,
                             cells.y + static_cast<double>(mark.row) * cells.cell_height,
                             static_cast<double>(mark.n_columns) * cells.cell_width,
                             static_cast<double>(mark.n_rows) * cells.cell_height, 1, context.theme.warm});
  }
}

void add_thumbnail(const LayoutContext& context, const GridPlan& plan, const Panel& panel, Scene* scene) {
  SceneCells cells = colour_cells(panel, context.scale, context.colours, plan.block, left_out(context));
  const Point corner = corner_of(plan, panel);
  cells.x = corner.x;
  cells.y = corner.y;
  cells.cell_width = plan.cell_width;
  cells.cell_height = plan.cell_height;
  const double hairline = context.up_to_pixel(1);
  scene->rects.push_back({cells.x - hairline, cells.y - hairline,
                          static_cast<double>(cells.n_columns) * plan.cell_width + 2 * hairline,
                          static_cast<double>(cells.n_rows) * plan.cell_height + 2 * hairline, context.theme.frame});
  add_hatches(panel, cells, plan.block, context.theme, scene);
  frame_marks(context, plan, cells, scene);
  scene->cells.push_back(std::move(cells));
}

// Weights of one mark in all panels, each under its thumbnail. Returns the remark about them.
std::string add_weights(const LayoutContext& context, const GridPlan& plan, std::size_t mark, Scene* scene) {
  const std::vector<Panel>& panels = context.figure.panels;
  std::vector<double> weights;
  std::vector<std::size_t> order;
  const auto strength = [&](double weight) { return context.scale.is_signed ? std::abs(weight) : weight; };
  for (const Panel& panel : panels) {
    order.push_back(weights.size());
    weights.push_back(mark_weight(panel, context.figure.highlights[mark]));
    if (!std::isfinite(weights.back())) weights.back() = 0;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return strength(weights[a]) > strength(weights[b]); });
  std::vector<std::string> strongest;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const Panel& panel = panels[order[rank]];
    const bool strong = rank < kStrongest && strength(weights[order[rank]]) > 0;
    if (strong) {
      strongest.push_back(fmt::format("{} {} {}", edge_label(context, false, panel.layer), edge_label(context, true, panel.head),
                                      format_weight(weights[order[rank]])));
    }
    if (plan.under == 0) continue;
    SceneText text =
        context.text(format_cell_value(weights[order[rank]], context.figure.value.decimals), kUnderSize,
                     strong ? context.theme.warm : context.theme.grey, strong ? FontWeight::kSemiBold : FontWeight::kRegular);
    const Point corner = corner_of(plan, panel);
    text.anchor = Anchor::kMiddle;
    text.x = corner.x + plan.thumb_width / 2;
    text.y = corner.y + plan.thumb_height + static_cast<double>(mark + 1) * kUnderLine - 1;
    scene->texts.push_back(std::move(text));
  }
  return fmt::format("{}{}: strongest in {}", plan.under > 0 ? "under each map: " : "", context.figure.highlights[mark].name,
                     strongest.empty() ? "none" : fmt::format("{}", fmt::join(strongest, ", ")));
}

}  // namespace

Body layout_grid(const LayoutContext& context) {
  if (context.style.values) {
    throw SettingError(ErrorKind::kUsage, {Setting::kValues,
                                           fmt::format(": thumbnails of {} heads have no room for numbers; choose one with ",
                                                       context.figure.panels.size()),
                                           Setting::kLayer, " and ", Setting::kHead});
  }
  if (context.figure.highlights.size() > kMostMarks) {
    throw SettingError(
        ErrorKind::kUsage,
        {Setting::kHighlight,
         fmt::format(": under thumbnails there is room for {} links, found {}; leave some out, or choose one map with ", kMostMarks,
                     context.figure.highlights.size()),
         Setting::kLayer, " and ", Setting::kHead});
  }
  const GridPlan plan = plan_grid(context);
  Body body;
  Scene& scene = body.scene;
  scene.width = plan.width;
  scene.height = plan.top + plan.matrix_height;
  for (const Panel& panel : context.figure.panels) add_thumbnail(context, plan, panel, &scene);
  add_axis_names(context, plan, &scene);
  const std::size_t head_step = add_edge(context, plan, true, &scene);
  const std::size_t layer_step = add_edge(context, plan, false, &scene);
  add_colour_bar(context, plan.left + plan.matrix_width + kBarGap, plan.top, plan.matrix_height, &scene);

  body.matrix_left = plan.left;
  body.remarks.push_back(fmt::format("each map: rows are {}, columns are {}", context.figure.row_axis, context.figure.column_axis));
  for (std::size_t mark = 0; mark < context.figure.highlights.size(); ++mark) {
    body.remarks.push_back(add_weights(context, plan, mark, &scene));
  }
  for (std::string& remark : panel_remarks(context)) body.remarks.push_back(std::move(remark));
  if (head_step > 1) body.remarks.push_back(thinning_remark(head_step, "head is numbered"));
  if (layer_step > 1) body.remarks.push_back(thinning_remark(layer_step, "layer is numbered"));
  if (std::max(plan.block.rows, plan.block.columns) > 1) {
    body.remarks.push_back(largest_remark(context, plan.block));
  }
  return body;
}

}  // namespace attnviz
