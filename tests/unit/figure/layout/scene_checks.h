// What must hold for every picture: no text on another or on cells, nothing cut. And a stand-in that measures text, so that no font
// decides the outcome.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "figure/scene.h"
#include "figure/theme.h"

namespace attnviz {

// Each byte that begins a character is 0.6 of the size wide: about a wide sans.
inline double measure(std::string_view text, double size, FontWeight weight) {
  const auto n = std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(n) * size * (weight == FontWeight::kRegular ? 0.6 : 0.66);
}

using Box = std::array<Point, 4>;

inline Box box_of(const SceneCells& cells) {
  const double right = cells.x + cells.cell_width * static_cast<double>(cells.n_columns);
  const double bottom = cells.y + cells.cell_height * static_cast<double>(cells.n_rows);
  return {Point{cells.x, cells.y}, Point{right, cells.y}, Point{right, bottom}, Point{cells.x, bottom}};
}

// Separating axes: two convex shapes are apart when one of their edges' normals tells them apart.
inline bool overlap(const Box& a, const Box& b) {
  for (const Box* box : {&a, &b}) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Point normal{(*box)[i + 1].y - (*box)[i].y, (*box)[i].x - (*box)[i + 1].x};
      const double length = std::hypot(normal.x, normal.y);
      if (length == 0) return false;
      const auto range = [&](const Box& of) {
        double low = 1e300;
        double high = -1e300;
        for (const Point& p : of) {
          const double along = (p.x * normal.x + p.y * normal.y) / length;
          low = std::min(low, along), high = std::max(high, along);
        }
        return std::pair(low, high);
      };
      const auto [a_low, a_high] = range(a);
      const auto [b_low, b_high] = range(b);
      if (a_high <= b_low + 1e-6 || b_high <= a_low + 1e-6) return false;
    }
  }
  return true;
}

// A tag is one cell with a text on it, and may be on a map.
inline bool lies_in(const Box& box, const SceneCells& cells) {
  return std::all_of(box.begin(), box.end(), [&](const Point& p) {
    return p.x >= cells.x && p.x <= cells.x + cells.cell_width && p.y >= cells.y && p.y <= cells.y + cells.cell_height;
  });
}

// `values`: the numbers in the cells of the first SceneCells, which may be on it.
inline void expect_sound(const Scene& scene, const std::string& what, bool values = false) {
  const auto on_cells = [&](const SceneText& text) { return values && text.anchor == Anchor::kMiddle; };
  std::vector<Box> boxes;
  for (const SceneText& text : scene.texts) {
    boxes.push_back(text_corners(text));
    EXPECT_GE(text.size, kSmallestSize) << what << " " << text.text;
    for (const Point& corner : boxes.back()) {
      ASSERT_TRUE(corner.x >= 0 && corner.y >= 0 && corner.x <= scene.width && corner.y <= scene.height)
          << what << ": \"" << text.text << "\" leaves the picture at " << corner.x << ", " << corner.y << " of " << scene.width
          << " x " << scene.height;
    }
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ASSERT_FALSE(overlap(boxes[i], boxes[j]))
          << what << ": \"" << scene.texts[i].text << "\" on \"" << scene.texts[j].text << "\"";
    }
    const bool is_tag = std::any_of(scene.cells.begin(), scene.cells.end(), [&](const SceneCells& cells) {
      return cells.colours.size() == 1 && scene.cells.size() > 2 && lies_in(boxes[i], cells);
    });
    for (const SceneCells& cells : scene.cells) {
      if (is_tag || on_cells(scene.texts[i])) continue;
      ASSERT_FALSE(overlap(boxes[i], box_of(cells))) << what << ": \"" << scene.texts[i].text << "\" on cells";
    }
  }
  for (const SceneCells& cells : scene.cells) {
    EXPECT_EQ(cells.colours.size(), cells.n_rows * cells.n_columns) << what;
    EXPECT_LE(cells.x + cells.cell_width * static_cast<double>(cells.n_columns), scene.width) << what;
    EXPECT_LE(cells.y + cells.cell_height * static_cast<double>(cells.n_rows), scene.height) << what;
  }
}

inline bool says(const Scene& scene, const std::string& part) {
  return std::any_of(scene.texts.begin(), scene.texts.end(),
                     [&](const SceneText& t) { return t.text.find(part) != std::string::npos; });
}

}  // namespace attnviz
