// A picture as plain shapes, in units of 1/96 inch with y downwards: what a layout makes and every backend draws, kind by kind in
// the order in which Scene lists them. It depends on no file format and no font: a TextMeasure gives the size of text. Tested in
// tests/unit/figure/layout/layout_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "figure/colour.h"

namespace attnviz {

enum class FontWeight : std::uint8_t { kRegular, kSemiBold };
enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

// Advance width of one line of text at a font size, both in units.
using TextMeasure = std::function<double(std::string_view text, double size, FontWeight weight)>;

// Room of a line above and below its baseline, as a share of the font size.
inline constexpr double kAscent = 0.8;
inline constexpr double kDescent = 0.24;
// Half the height of small letters and digits: a baseline this far below a line centres text on it.
inline constexpr double kHalfHeight = 0.35;

struct SceneText {
  double x = 0;  // the anchor's point on the baseline
  double y = 0;
  std::string text{};
  double size = 12;
  FontWeight weight = FontWeight::kRegular;
  Rgb colour{};
  Anchor anchor = Anchor::kStart;
  double angle = 0;  // degrees clockwise about the anchor's point
  double width = 0;  // as measured
};

struct SceneRect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Rgb colour{};
};

struct SceneLine {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
  double width = 1;
  Rgb colour{};
};

// A cubic Bezier curve, drawn with an opacity over what is under it.
struct SceneCurve {
  double x1 = 0;
  double y1 = 0;
  double control_x1 = 0;
  double control_y1 = 0;
  double control_x2 = 0;
  double control_y2 = 0;
  double x2 = 0;
  double y2 = 0;
  double width = 1;
  double opacity = 1;  // 0 .. 1
  Rgb colour{};
};

// The border of a box, its line centred on the edges.
struct SceneFrame {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  double line_width = 1.5;
  Rgb colour{};
};

// A box filled with thin lines from lower left to upper right. Lines of neighbouring boxes meet.
struct SceneHatch {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Rgb ground{};
  Rgb colour{};
};

inline constexpr double kHatchPitch = 4;  // units between two lines of a hatch, along x
inline constexpr double kHatchLine = 1;   // their width

struct SceneCells {
  double x = 0;
  double y = 0;
  double cell_width = 0;
  double cell_height = 0;
  double gap = 0;  // of each cell, left free at its right and lower edge
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::vector<Rgb> colours{};  // [n_rows, n_columns]
};

struct Scene {
  double width = 0;
  double height = 0;
  Rgb background{};
  bool transparent = false;  // the background is not drawn
  std::vector<SceneRect> rects{};
  std::vector<SceneCells> cells{};
  std::vector<SceneHatch> hatches{};
  std::vector<SceneLine> lines{};
  std::vector<SceneCurve> curves{};
  std::vector<SceneFrame> frames{};
  std::vector<SceneText> texts{};
};

struct Point {
  double x = 0;
  double y = 0;
};

// The lines of a hatch, cut to its box: pairs of ends.
std::vector<std::array<Point, 2>> hatch_lines(const SceneHatch& hatch);

// The corners of the box that a text may fill, in order around it.
std::array<Point, 4> text_corners(const SceneText& text);

// Makes everything `factor` times as large, except the patterns of hatches.
void scale_scene(Scene* scene, double factor);

// Adds all of `part`, moved by (dx, dy), to `scene`, whose size and background stay as they are.
void append_moved(Scene* scene, Scene part, double dx, double dy);

}  // namespace attnviz
