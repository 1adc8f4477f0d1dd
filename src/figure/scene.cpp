// See scene.h.
#include "figure/scene.h"

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

void append_moved(Scene* scene, Scene part, double dx, double dy) {
  for (SceneRect& rect : part.rects) rect.x += dx, rect.y += dy;
  for (SceneCells& cells : part.cells) cells.x += dx, cells.y += dy;
  for (SceneLine& line : part.lines) line.x1 += dx, line.x2 += dx, line.y1 += dy, line.y2 += dy;
  for (SceneText& text : part.texts) text.x += dx, text.y += dy;
  const auto move_all = [](auto* from, auto* to) { std::move(from->begin(), from->end(), std::back_inserter(*to)); };
  move_all(&part.rects, &scene->rects);
  move_all(&part.cells, &scene->cells);
  move_all(&part.lines, &scene->lines);
  move_all(&part.texts, &scene->texts);
}

}  // namespace attnviz
