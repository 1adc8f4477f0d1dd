// Figures as PNG through the real fonts of the machine: what must hold whatever they are.
#include "render/picture/png.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <cairo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/picture/text_engine.h"

namespace attnviz {
namespace {

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

Figure small_figure() {
  Figure figure{.title = "Layer 0, head 0", .subtitle = "model"};
  for (const char* word : {"animal", "\u0645\u0631\u062D\u0628\u0627", "\u4F60", "\U0001F600"}) {
    figure.row_labels.push_back({word, false});
    figure.column_labels.push_back({word, false});
  }
  figure.panels.push_back({.n_rows = 4, .n_columns = 4, .values = std::vector<float>(16, 0.25F)});
  figure.command = "attnviz animal";
  return figure;
}

TEST(RenderPng, IsDeterministicAndCarriesItsCommand) {
  const std::string png = render_png(small_figure(), {});
  EXPECT_EQ(png, render_png(small_figure(), {}));
  EXPECT_THAT(png, testing::HasSubstr("attnviz animal"));
}

TEST(RenderPng, DpiAndWidthSetThePixels) {
  const std::string at96 = render_png(small_figure(), {});
  const std::string at192 = render_png(small_figure(), {.dpi = 192});
  EXPECT_NEAR(u32(at192, 16), 2.0 * u32(at96, 16), 4);
  EXPECT_EQ(u32(render_png(small_figure(), {.width = 777}), 16), 777U);
  EXPECT_EQ(u32(render_png(small_figure(), {.dpi = 150, .width = 777}), 16), 777U);
}

TEST(TextEngine, MeasuresInProportion) {
  TextEngine engine;
  const double width = engine.width("animal", 10, FontWeight::kRegular);
  EXPECT_GT(width, 20);
  EXPECT_LT(width, 60);
  EXPECT_NEAR(engine.width("animal", 25, FontWeight::kRegular), 2.5 * width, 1e-9);
  EXPECT_GT(engine.width("animal", 10, FontWeight::kSemiBold), width);
  EXPECT_EQ(engine.width("", 10, FontWeight::kRegular), 0);
  EXPECT_GT(engine.width("\U0001F469\u200D\U0001F467", 10, FontWeight::kRegular), 0);
}

// Grey levels [120, 200] of a text at (100.3, 60.7). A scale that is not the same both ways keeps the engine from its masks.
std::vector<int> drawn(TextEngine* engine, SceneText text, double scale, bool masked) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 200, 120);
  cairo_t* cairo = cairo_create(surface);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_scale(cairo, scale, masked ? scale : scale * (1 + 1e-12));
  text.x = 100.3 / scale;
  text.y = 60.7 / scale;
  engine->draw(cairo, text);
  cairo_surface_flush(surface);
  std::vector<int> levels;
  for (int y = 0; y < 120; ++y) {
    for (int x = 0; x < 200; ++x)
      levels.push_back(cairo_image_surface_get_data(surface)[y * cairo_image_surface_get_stride(surface) + x * 4]);
  }
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return levels;
}

TEST(TextEngine, WhatIsKeptLooksAsWhatIsDrawn) {
  TextEngine engine;
  for (const char* word : {"animal", "Qg|j_", "\u0645\u0631\u062D", "\u4F60", "e\u0301\u0323", "f\U0001F600"}) {
    for (const double angle : {0.0, 45.0, 90.0, -90.0}) {
      for (const Anchor anchor : {Anchor::kStart, Anchor::kMiddle, Anchor::kEnd}) {
        for (const double scale : {1.0, 1.5}) {
          const SceneText text{.text = word, .size = 14, .anchor = anchor, .angle = angle};
          const std::vector<int> direct = drawn(&engine, text, scale, false);
          const std::vector<int> first = drawn(&engine, text, scale, true);
          EXPECT_EQ(first, drawn(&engine, text, scale, true)) << word;
          int largest = 0;
          for (std::size_t i = 0; i < direct.size(); ++i) largest = std::max(largest, std::abs(direct[i] - first[i]));
          EXPECT_LE(largest, 16) << word << ' ' << angle << ' ' << scale;
          EXPECT_LT(*std::min_element(first.begin(), first.end()), 128) << word;
        }
      }
    }
  }
}

}  // namespace
}  // namespace attnviz
