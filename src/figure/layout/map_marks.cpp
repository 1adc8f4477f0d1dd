// See map_marks.h.
#include "figure/layout/map_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "figure/marks.h"

namespace attnviz {
namespace {

constexpr double kFrame = 1.5;
constexpr double kLeastSide = 9;  // of a frame: smaller cells would be hidden by it
constexpr double kTagSize = 11;
constexpr double kTagPadding = 3;
constexpr double kTagHeight = 15;
constexpr double kTagGap = 3;  // between frame and tag

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

bool touch(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// The box of the mark's cells, at least kLeastSide wide and high.
Box box_of(const CellMark& mark, const SceneCells& cells, CellBlock block) {
  const auto first_row = static_cast<double>(mark.row / block.rows);
  const auto last_row = static_cast<double>((mark.row + mark.n_rows - 1) / block.rows + 1);
  const auto first_column = static_cast<double>(mark.column / block.columns);
  const auto last_column = static_cast<double>((mark.column + mark.n_columns - 1) / block.columns + 1);
  Box box{cells.x + first_column * cells.cell_width - cells.gap / 2, cells.y + first_row * cells.cell_height - cells.gap / 2,
          (last_column - first_column) * cells.cell_width, (last_row - first_row) * cells.cell_height};
  const double wider = std::max(0.0, kLeastSide - box.width);
  const double higher = std::max(0.0, kLeastSide - box.height);
  return {box.x - wider / 2, box.y - higher / 2, box.width + wider, box.height + higher};
}

// How much a tag would hide: the largest weight under it, by its colour's distance from that of nothing.
double hidden_by(const Box& tag, const SceneCells& cells, double nothing) {
  double most = 0;
  const auto index = [](double from, double side, std::size_t n) {
    return static_cast<std::size_t>(std::clamp(std::floor(from / side), 0.0, static_cast<double>(n - 1)));
  };
  const std::size_t last_row = index(tag.y + tag.height - cells.y, cells.cell_height, cells.n_rows);
  const std::size_t last_column = index(tag.x + tag.width - cells.x, cells.cell_width, cells.n_columns);
  for (std::size_t row = index(tag.y - cells.y, cells.cell_height, cells.n_rows); row <= last_row; ++row) {
    for (std::size_t column = index(tag.x - cells.x, cells.cell_width, cells.n_columns); column <= last_column; ++column) {
      most = std::max(most, std::abs(lightness(cells.colours[row * cells.n_columns + column]) - nothing));
    }
  }
  return most;
}

class TagPlaces {
 public:
  TagPlaces(const SceneCells& cells, double nothing, double beyond, double pixel)
      : cells_(cells), nothing_(nothing), pixel_(pixel) {
    right_ = cells.x + cells.cell_width * static_cast<double>(cells.n_columns) + beyond;
    bottom_ = cells.y + cells.cell_height * static_cast<double>(cells.n_rows);
  }

  void take(const Box& box) { taken_.push_back(box); }

  // The best place for a tag of that width, on whole pixels; width 0 where there is none.
  Box find(const Box& frame, double width) const {
    const double middle_x = frame.x + frame.width / 2 - width / 2;
    const double middle_y = frame.y + frame.height / 2 - kTagHeight / 2;
    const double above = frame.y - kTagGap - kTagHeight;
    const double below = frame.y + frame.height + kTagGap;
    const double before = frame.x - kTagGap - width;
    const double behind = frame.x + frame.width + kTagGap;
    const std::array<Point, 8> corners{{{behind, middle_y},
                                        {before, middle_y},
                                        {middle_x, above},
                                        {middle_x, below},
                                        {behind, below},
                                        {behind, above},
                                        {before, below},
                                        {before, above}}};
    Box best;
    double least = std::numeric_limits<double>::infinity();
    for (const Point& corner : corners) {
      const Box tag = inside(corner, width);
      const bool free = std::none_of(taken_.begin(), taken_.end(), [&](const Box& box) { return touch(tag, box); });
      if (!free || tag.x < cells_.x || touch(tag, frame)) continue;
      const double hidden = hidden_by(tag, cells_, nothing_);
      if (hidden < least - 3) least = hidden, best = tag;  // a little less is not worth leaving the first choice
    }
    return best;
  }

 private:
  // Moved into the matrix, or just under it.
  Box inside(Point corner, double width) const {
    corner.x = std::min(std::max(corner.x, cells_.x), right_ - width);
    corner.y = std::min(std::max(corner.y, cells_.y), bottom_ + kTagGap + 1);
    const auto snapped = [&](double units) { return std::ceil(units / pixel_ - 1e-6) * pixel_; };
    return {snapped(corner.x), snapped(corner.y), snapped(width), snapped(kTagHeight)};
  }

  const SceneCells& cells_;
  double nothing_;  // lightness of a cell without weight
  double pixel_;
  double right_ = 0;
  double bottom_ = 0;
  std::vector<Box> taken_{};
};

void add_tag(const LayoutContext& context, const Box& box, SceneText text, Scene* scene) {
  scene->cells.push_back({.x = box.x,
                          .y = box.y,
                          .cell_width = box.width,
                          .cell_height = box.height,
                          .n_rows = 1,
                          .n_columns = 1,
                          .colours = {context.theme.warm}});
  text.anchor = Anchor::kMiddle;
  text.x = box.x + box.width / 2;
  text.y = box.y + box.height / 2 + kHalfHeight * text.size;
  scene->height = std::max(scene->height, box.y + box.height);
  scene->texts.push_back(std::move(text));
}

}  // namespace

void add_frame(const LayoutContext& context, const SceneFrame& frame, Scene* scene) {
  SceneFrame halo = frame;
  halo.line_width = frame.line_width + 2;
  halo.colour = context.theme.background;
  scene->frames.push_back(halo);
  scene->frames.push_back(frame);
}

void mark_cells(const LayoutContext& context, CellBlock block, double beyond, Scene* scene) {
  const Figure& figure = context.figure;
  const SceneCells cells = scene->cells.front();
  TagPlaces places(cells, lightness(context.colours.at(0)), beyond, context.pixel);
  std::vector<Box> frames;
  for (const CellMark& mark : figure.highlights) {
    const Box box = box_of(mark, cells, block);
    add_frame(context, {box.x, box.y, box.width, box.height, kFrame, context.theme.warm}, scene);
    places.take({box.x - kFrame, box.y - kFrame, box.width + 2 * kFrame, box.height + 2 * kFrame});
    frames.push_back(box);
  }
  if (context.style.values) return;
  const Rgb ink = more_readable(context.theme.warm, context.theme.paper, context.theme.coal);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SceneText text =
        context.text(format_weight(mark_weight(figure.panels.front(), figure.highlights[i])), kTagSize, ink, FontWeight::kSemiBold);
    const Box box = places.find(frames[i], text.width + 2 * kTagPadding);
    if (box.width == 0) continue;
    places.take(box);
    add_tag(context, box, std::move(text), scene);
  }
}

}  // namespace attnviz
