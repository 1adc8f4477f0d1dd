// Invariants of every picture: no text overlaps another or a cell it does not belong to, nothing is cut, cells are square and are
// on device pixels, what is left out is said. A stand-in measures text, so that no font decides the outcome.
#include "figure/layout/layout.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/colour_map.h"
#include "figure/theme.h"
#include "unit/figure/layout/scene_checks.h"

namespace attnviz {
namespace {

enum class Lengths { kShort, kMixed, kLong, kHuge };

Figure figure_of(std::size_t n_rows, std::size_t n_columns, Lengths lengths, std::size_t n_panels = 1) {
  std::mt19937 random(static_cast<unsigned>(n_rows * 131 + n_columns));
  const auto label = [&](std::size_t i) {
    const std::size_t length = lengths == Lengths::kShort  ? 1
                               : lengths == Lengths::kLong ? 14
                               : lengths == Lengths::kHuge ? 300
                                                           : 1 + random() % 12;
    return AxisLabel{std::string(length, static_cast<char>('a' + i % 26)), i == 0};
  };
  Figure figure{.title = "Layer 3, head 1", .subtitle = "a-model-with-a-long-name · self-attention · pieces merged into words"};
  for (std::size_t i = 0; i < n_rows; ++i) figure.row_labels.push_back(label(i));
  for (std::size_t i = 0; i < n_columns; ++i) figure.column_labels.push_back(label(i));
  for (std::size_t p = 0; p < n_panels; ++p) {
    Panel panel{.layer = p / 12, .head = p % 12, .n_rows = n_rows, .n_columns = n_columns};
    panel.values.resize(n_rows * n_columns);
    for (float& value : panel.values) value = static_cast<float>(random() % 1000) / 1000;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

std::size_t count_rotated(const Scene& scene) {
  return static_cast<std::size_t>(
      std::count_if(scene.texts.begin(), scene.texts.end(), [](const SceneText& t) { return t.angle > 0; }));
}

void expect_whole_pixels(const Scene& scene, double dpi) {
  for (const SceneCells& cells : scene.cells) {
    for (const double units : {cells.x, cells.y, cells.cell_width, cells.gap}) {
      EXPECT_NEAR(units * dpi / 96, std::round(units * dpi / 96), 1e-6);
    }
  }
}

// A page that fits is kept to the hair; one that does not names a page that does.
TEST(LayoutPage, PicturesFitTheirPagesAndNoTypeIsTooSmall) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{13}, std::size_t{60}, std::size_t{300}}) {
    for (const std::size_t n_panels : {std::size_t{1}, std::size_t{72}}) {
      const Figure figure = figure_of(n, n, Lengths::kMixed, n_panels);
      for (const PageSize& page :
           {PageSize{340, {}}, PageSize{340, 280}, PageSize{700, 500}, PageSize{1000, 300}, PageSize{2000, 2000}}) {
        for (const double dpi : {96.0, 300.0}) {
          const std::string what =
              fmt::format("{} tokens, {} panels, {} x {} at {}", n, n_panels, page.width, page.height.value_or(0), dpi);
          const Scene scene = layout_figure(figure, {.dpi = dpi, .page = page}, measure);
          EXPECT_EQ(scene.width, page.width) << what;
          if (page.height) {
            EXPECT_EQ(scene.height, *page.height) << what;
          }
          expect_sound(scene, what);
        }
      }
    }
  }
}

TEST(LayoutPage, ATooSmallOneNamesOneThatWouldDo) {
  const Figure figure = figure_of(13, 13, Lengths::kMixed);
  const auto message = [&](const PageSize& page) -> std::string {
    try {
      layout_figure(figure, {.page = page}, measure);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "";
  };
  const std::string said = message({.width = 120, .height = 90});
  const std::size_t at = said.find("try ");
  ASSERT_NE(at, std::string::npos) << said;
  double width = 0;
  double height = 0;
  ASSERT_EQ(std::sscanf(said.c_str() + at, "try %lfx%lfpx", &width, &height), 2) << said;
  EXPECT_EQ(message({.width = width, .height = height}), "");
  EXPECT_NE(message({.width = width * 0.9, .height = height * 0.9}), "") << "not far larger than it has to be";
}

TEST(LayoutPage, TitlesAreOwnOrNone) {
  const Figure figure = figure_of(4, 4, Lengths::kShort);
  const Scene usual = layout_figure(figure, {}, measure);
  const Scene own = layout_figure(figure, {.title = "Mine"}, measure);
  const Scene none = layout_figure(figure, {.title = ""}, measure);
  EXPECT_TRUE(says(own, "Mine") && says(own, "a-model") && !says(own, "Layer 3"));
  EXPECT_TRUE(!says(none, "a-model") && !says(none, "Layer 3"));
  EXPECT_LT(none.height, usual.height - 30);
}

TEST(Layout, MapsOfAllSizesAreSound) {
  for (const std::size_t n : {1, 2, 3, 5, 16, 31, 32, 33, 64, 65, 128, 512}) {
    for (const Lengths lengths : {Lengths::kShort, Lengths::kMixed, Lengths::kLong, Lengths::kHuge}) {
      const std::string what = fmt::format("{} tokens, lengths {}", n, static_cast<int>(lengths));
      const Scene scene = layout_figure(figure_of(n, n, lengths), {}, measure);
      expect_sound(scene, what);
      ASSERT_FALSE(scene.cells.empty());
      const SceneCells& map = scene.cells.front();
      EXPECT_EQ(map.cell_width, map.cell_height) << what;
      EXPECT_EQ(map.n_rows, n) << what;
      EXPECT_EQ(map.gap > 0, n <= 64) << what;
      if (n <= 32) {
        EXPECT_TRUE(map.cell_width >= 22 && map.cell_width <= 28) << what;
      }
      EXPECT_GE(map.cell_width, 3) << what;
      const std::size_t shown = count_rotated(scene);
      EXPECT_TRUE(shown == n || says(scene, fmt::format("every {}th label", n / shown)) || says(scene, "every 2nd label")) << what;
      if (n <= 64) {
        EXPECT_EQ(shown, n) << what;
      }
    }
  }
}

TEST(Layout, RectangularMapsAreSound) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 40}, {40, 1}, {3, 200}, {200, 3}, {17, 30}}) {
    const Scene scene = layout_figure(figure_of(rows, columns, Lengths::kMixed), {}, measure);
    expect_sound(scene, fmt::format("{} x {}", rows, columns));
    const SceneCells& cells = scene.cells.front();
    // Three rows of two hundred tokens are not a thread: they are as high as three rows of a short text.
    const bool rows_are_few = columns == 200;
    const bool columns_are_few = rows == 200;
    EXPECT_EQ(cells.cell_height > cells.cell_width, rows_are_few);
    EXPECT_EQ(cells.cell_width > cells.cell_height, columns_are_few);
    if (rows_are_few) {
      EXPECT_GE(cells.cell_height, 22);
    }
  }
}

TEST(Layout, FewRowsKeepTheirHeightAtAnyWidth) {
  for (const double width : {500.0, 900.0, 2000.0}) {
    Style style;
    style.width = width;
    const Scene scene = layout_figure(figure_of(2, 600, Lengths::kMixed), style, measure);
    expect_sound(scene, fmt::format("{}", width));
    EXPECT_EQ(scene.cells.front().n_rows, 2U) << "rows are not put together because columns are";
    EXPECT_GE(scene.cells.front().cell_height, 22);
    EXPECT_EQ(scene.width, width);
  }
}

TEST(Layout, ThumbnailsOfAFewRowsCanBeSeen) {
  Figure figure = figure_of(1, 500, Lengths::kMixed);
  figure.panels.push_back(figure.panels.front());
  figure.panels.back().head = figure.panels.front().head + 1;
  const Scene scene = layout_figure(figure, {}, measure);
  for (const SceneCells& cells : scene.cells) {
    if (cells.n_rows == 1) {
      EXPECT_GE(cells.cell_height, 14);
    }
  }
}

TEST(Layout, EveryStyleIsSound) {
  for (const std::size_t n : {1, 2, 16, 40, 100}) {
    for (const Scale scale : {Scale::kLinear, Scale::kRow, Scale::kLog, Scale::kRobust}) {
      for (const bool dark : {false, true}) {
        const Style style{.scale = scale, .values = n <= 40, .dark = dark};
        expect_sound(layout_figure(figure_of(n, n, Lengths::kMixed), style, measure),
                     fmt::format("{} {} {}", n, static_cast<int>(scale), dark), style.values);
      }
    }
  }
}

TEST(Layout, CellsLieOnDevicePixelsAtAnyResolution) {
  for (const double dpi : {72.0, 96.0, 100.0, 150.0, 300.0}) {
    for (const std::size_t n : {2, 16, 64, 200}) {
      const Scene map = layout_figure(figure_of(n, n, Lengths::kMixed), {.dpi = dpi}, measure);
      expect_sound(map, fmt::format("{} dpi", dpi));
      expect_whole_pixels(map, dpi);
      expect_whole_pixels(layout_figure(figure_of(n, n, Lengths::kMixed, 24), {.dpi = dpi}, measure), dpi);
    }
  }
}

TEST(Layout, WantedWidthIsMet) {
  for (const double width : {400.0, 500.0, 1000.0, 2001.0}) {
    for (const std::size_t n : {1, 2, 16, 64, 128, 512}) {
      for (const std::size_t n_panels : {1, 24}) {
        const Scene scene = layout_figure(figure_of(n, n, Lengths::kMixed, n_panels), {.width = width}, measure);
        EXPECT_EQ(scene.width, width);
        expect_sound(scene, fmt::format("{} tokens, {} maps, {} wide", n, n_panels, width));
      }
    }
  }
  EXPECT_NEAR(layout_figure(figure_of(9, 9, Lengths::kMixed), {.dpi = 192, .width = 1200}, measure).width, 600, 1e-9);
  // What a refusal suggests is then accepted.
  for (const std::size_t n_panels : {1, 72}) {
    const Figure figure = figure_of(16, 16, Lengths::kMixed, n_panels);
    try {
      layout_figure(figure, {.width = 120}, measure);
      FAIL() << "no error";
    } catch (const Error& error) {
      const std::string message = error.what();
      const double suggested = std::stod(message.substr(message.find("try ") + 4));
      expect_sound(layout_figure(figure, {.width = suggested}, measure), "suggested width");
    }
  }
}

TEST(Layout, LongTextsArePooledByTheMaximumAndSaySo) {
  Figure figure = figure_of(5000, 5000, Lengths::kMixed);
  std::fill(figure.panels[0].values.begin(), figure.panels[0].values.end(), 0.0F);
  figure.panels[0].values[4321 * 5000 + 1234] = 0.5F;
  const Scene scene = layout_figure(figure, {}, measure);
  expect_sound(scene, "5000 tokens");
  EXPECT_LE(scene.width, 4000);
  EXPECT_LE(scene.height, 4000);
  EXPECT_TRUE(says(scene, "largest of 2 × 2"));
  const SceneCells& map = scene.cells.front();
  const Rgb spike = map.colours[4321 / 2 * map.n_columns + 1234 / 2];
  EXPECT_EQ(spike, find_colour_map("blues", false).colours.back());
  EXPECT_EQ(std::count(map.colours.begin(), map.colours.end(), spike), 1);
}

TEST(Layout, GridsAreSound) {
  for (const std::size_t n : {1, 2, 16, 60, 128, 300}) {
    for (const std::size_t n_panels : {2, 12, 13, 72}) {
      const Scene scene = layout_figure(figure_of(n, n, Lengths::kMixed, n_panels), {}, measure);
      expect_sound(scene, fmt::format("{} maps of {} tokens", n_panels, n));
      EXPECT_EQ(scene.cells.size(), n_panels + 1);
      const double side = scene.cells.front().cell_width * static_cast<double>(scene.cells.front().n_columns);
      EXPECT_TRUE(side >= 60 && side <= 140) << n << " tokens: " << side;
      EXPECT_TRUE(says(scene, "L0") && says(scene, "H1"));
    }
  }
}

TEST(Layout, HugeGridsStayBounded) {
  Figure figure = figure_of(4, 4, Lengths::kShort, 1);
  const Panel panel = figure.panels.front();
  figure.panels.clear();
  for (std::size_t layer = 0; layer < 80; ++layer) {
    for (std::size_t head = 0; head < 128; ++head) {
      figure.panels.push_back(panel);
      figure.panels.back().layer = layer;
      figure.panels.back().head = head;
    }
  }
  const Scene scene = layout_figure(figure, {}, measure);
  EXPECT_LE(scene.width, 4600);
  EXPECT_TRUE(says(scene, "head is numbered"));
}

TEST(Layout, GridWithMissingHeadsLeavesHoles) {
  Figure figure = figure_of(5, 5, Lengths::kShort, 4);
  figure.panels[3].layer = 7;
  figure.panels[3].head = 9;
  const Scene scene = layout_figure(figure, {}, measure);
  expect_sound(scene, "holes");
  EXPECT_TRUE(says(scene, "L7") && says(scene, "H9"));
}

TEST(Layout, ClippingAndRowScaleAreSaid) {
  const Figure figure = figure_of(10, 10, Lengths::kShort);
  EXPECT_TRUE(says(layout_figure(figure, {.vmax = 0.5F}, measure), "above, clipped"));
  EXPECT_TRUE(says(layout_figure(figure, {.scale = Scale::kRow}, measure), "row’s maximum"));
  EXPECT_TRUE(says(layout_figure(figure, {.scale = Scale::kLog}, measure), "log scale"));
  EXPECT_TRUE(says(layout_figure(figure, {.dark = true}, measure), "brighter is more"));
  EXPECT_TRUE(says(layout_figure(figure, {}, measure), "maximum 0."));
}

TEST(Layout, RefusesWhatCannotBeDrawn) {
  const Figure figure = figure_of(10, 10, Lengths::kShort);
  EXPECT_THROW(layout_figure(figure, {.cmap = "nonesuch"}, measure), Error);
  EXPECT_THROW(layout_figure(figure, {.dpi = 0}, measure), Error);
  EXPECT_THROW(layout_figure(figure, {.dpi = NAN}, measure), Error);
  EXPECT_THROW(layout_figure(figure, {.width = -5}, measure), Error);
  EXPECT_THROW(layout_figure(figure_of(400, 400, Lengths::kShort), {.values = true}, measure), Error);
  EXPECT_THROW(layout_figure(figure_of(4, 4, Lengths::kShort, 3), {.values = true}, measure), Error);
  EXPECT_THROW(layout_figure(Figure{}, {}, measure), Error);
}

TEST(Theme, AllTextHasEnoughContrast) {
  for (const Theme& theme : {kLightTheme, kDarkTheme}) {
    for (const Rgb colour : {theme.ink, theme.grey, theme.special, theme.made, theme.warm}) {
      EXPECT_GE(contrast_ratio(colour, theme.background), 4.4);
    }
    EXPECT_GE(contrast_ratio(theme.warm, more_readable(theme.warm, theme.paper, theme.coal)), 4.4) << "a tag's number";
  }
}

}  // namespace
}  // namespace attnviz
