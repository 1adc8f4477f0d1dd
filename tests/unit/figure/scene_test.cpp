// Lines of a hatch are inside their box and meet those of the box beside it.
#include "figure/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(HatchLines, StayInTheBox) {
  const SceneHatch hatch{.x = 10.5, .y = 3, .width = 21, .height = 7};
  const auto lines = hatch_lines(hatch);
  EXPECT_EQ(lines.size(), 7U);  // x + y runs from 13.5 to 41.5, a line every 4
  for (const auto& line : lines) {
    for (const Point& end : line) {
      EXPECT_GE(end.x, hatch.x - 1e-9);
      EXPECT_LE(end.x, hatch.x + hatch.width + 1e-9);
      EXPECT_GE(end.y, hatch.y - 1e-9);
      EXPECT_LE(end.y, hatch.y + hatch.height + 1e-9);
    }
    EXPECT_NEAR(line[0].x + line[0].y, line[1].x + line[1].y, 1e-9);
  }
}

TEST(HatchLines, MeetThoseOfTheBoxBeside) {
  const auto left = hatch_lines({.x = 0, .y = 0, .width = 22, .height = 22});
  const auto right = hatch_lines({.x = 22, .y = 0, .width = 22, .height = 22});
  const auto crosses_at = [](const auto& lines, double y) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return std::any_of(line.begin(), line.end(), [&](const Point& end) { return end.x == 22 && std::abs(end.y - y) < 1e-9; });
    });
  };
  for (const double y : {2.0, 6.0, 10.0, 14.0, 18.0}) {
    EXPECT_TRUE(crosses_at(left, y)) << y;
    EXPECT_TRUE(crosses_at(right, y)) << y;
  }
}

}  // namespace
}  // namespace attnviz
