// See scene.h.
#include "figure/scene.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

namespace attnviz {

std::array<Point, 4> text_corners(const SceneText& text) {
  const double angle = text.angle * std::numbers::pi / 180;
  const double start = text.anchor == Anchor::kStart ? 0 : text.anchor == Anchor::kMiddle ? -text.width / 2 : -text.width;
  const auto turned = [&](double along, double down) {
    return Point{text.x + along * std::cos(angle) - down * std::sin(angle),
                 text.y + along * std::sin(angle) + down * std::cos(angle)};
  };
  const double up = -kAscent * text.size;
  const double down = kDescent * text.size;
  return {turned(start, up), turned(start + text.width, up), turned(start + text.width, down), turned(start, down)};
}

// Lines are x + y = k * kHatchPitch, counted from the picture's corner, so that neighbouring boxes share them.
std::vector<std::array<Point, 2>> hatch_lines(const SceneHatch& hatch) {
  std::vector<std::array<Point, 2>> lines;
  const double right = hatch.x + hatch.width;
  const double bottom = hatch.y + hatch.height;
  for (double sum = std::ceil((hatch.x + hatch.y) / kHatchPitch) * kHatchPitch; sum < right + bottom; sum += kHatchPitch) {
    const double lower_x = std::max(hatch.x, sum - bottom);
    const double upper_x = std::min(right, sum - hatch.y);
    lines.push_back({Point{lower_x, sum - lower_x}, Point{upper_x, sum - upper_x}});
  }
  return lines;
}

void scale_scene(Scene* scene, double factor) {
  const auto scale = [factor](auto&... numbers) { ((numbers *= factor), ...); };
  scale(scene->width, scene->height);
  for (SceneRect& rect : scene->rects) scale(rect.x, rect.y, rect.width, rect.height);
  for (SceneCells& cells : scene->cells) scale(cells.x, cells.y, cells.cell_width, cells.cell_height, cells.gap);
  for (SceneHatch& hatch : scene->hatches) scale(hatch.x, hatch.y, hatch.width, hatch.height);
  for (SceneLine& line : scene->lines) scale(line.x1, line.y1, line.x2, line.y2, line.width);
  for (SceneCurve& curve : scene->curves) {
    scale(curve.x1, curve.y1, curve.control_x1, curve.control_y1, curve.control_x2, curve.control_y2, curve.x2, curve.y2,
          curve.width);
  }
  for (SceneFrame& frame : scene->frames) scale(frame.x, frame.y, frame.width, frame.height, frame.line_width);
  for (SceneText& text : scene->texts) scale(text.x, text.y, text.size, text.width);
}

void append_moved(Scene* scene, Scene part, double dx, double dy) {
  for (SceneRect& rect : part.rects) rect.x += dx, rect.y += dy;
  for (SceneCells& cells : part.cells) cells.x += dx, cells.y += dy;
  for (SceneLine& line : part.lines) line.x1 += dx, line.x2 += dx, line.y1 += dy, line.y2 += dy;
  for (SceneHatch& hatch : part.hatches) hatch.x += dx, hatch.y += dy;
  for (SceneFrame& frame : part.frames) frame.x += dx, frame.y += dy;
  for (SceneCurve& curve : part.curves) {
    curve.x1 += dx, curve.control_x1 += dx, curve.control_x2 += dx, curve.x2 += dx;
    curve.y1 += dy, curve.control_y1 += dy, curve.control_y2 += dy, curve.y2 += dy;
  }
  for (SceneText& text : part.texts) text.x += dx, text.y += dy;
  const auto move_all = [](auto* from, auto* to) { std::move(from->begin(), from->end(), std::back_inserter(*to)); };
  move_all(&part.rects, &scene->rects);
  move_all(&part.cells, &scene->cells);
  move_all(&part.hatches, &scene->hatches);
  move_all(&part.lines, &scene->lines);
  move_all(&part.curves, &scene->curves);
  move_all(&part.frames, &scene->frames);
  move_all(&part.texts, &scene->texts);
}

}  // namespace attnviz
