// Figures as PNG through the real fonts of the machine: what must hold whatever they are.
#include "render/png.h"

#include "render/text_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace attnviz
