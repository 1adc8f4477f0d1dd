// SVG: text is text, cells are rectangles or an image, and every option shows. Whether it parses and looks right, tests/cli and
// tests/golden ask real parsers and viewers.
#include "render/picture/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/picture/cell_image.h"
#include "small_figure.h"

namespace attnviz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RenderSvg, TextIsTextAndSaysWhatMadeIt) {
  const std::string svg = render_svg(figure_of_words({"animal", "it", "\u05E9\u05DC\u05D5\u05DD"}), {});
  EXPECT_EQ(svg, render_svg(figure_of_words({"animal", "it", "\u05E9\u05DC\u05D5\u05DD"}), {}));
  EXPECT_EQ(count_of(svg, ">animal</text>"), 2U);
  EXPECT_THAT(svg, HasSubstr("<title>Layer 0, head 0</title>"));
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-label=\"Layer 0, head 0\""));
  EXPECT_THAT(svg, HasSubstr("<command>attnviz &#39;a &lt;b&gt;&#39;</command>"));
  EXPECT_THAT(svg, HasSubstr("unicode-bidi=\"plaintext\">\u05E9\u05DC\u05D5\u05DD</text>"));
  EXPECT_EQ(count_of(svg, "unicode-bidi"), 2U) << "only where it matters";
}

TEST(RenderSvg, TokensAreDataWhateverTheyHold) {
  const std::string svg = render_svg(figure_of_words({"</text><script>", "\" onload=\"x", "&lt;", std::string("a\0b", 3)}), {});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;"));
  EXPECT_THAT(svg, HasSubstr("&quot; onload=&quot;x"));
  EXPECT_THAT(svg, HasSubstr("&amp;lt;"));
  EXPECT_EQ(svg.find('\0'), std::string::npos);
}

TEST(RenderSvg, CellsAreRectanglesUntilTheyTouch) {
  const auto rects = [](const std::string& svg) { return count_of(svg, "<rect "); };
  const std::string few = render_svg(figure_of_words(std::vector<std::string>(20, "w")), {});
  EXPECT_GE(rects(few), 400U);
  EXPECT_EQ(count_of(few, "<image "), 1U) << "the colour bar";
  const std::string many = render_svg(figure_of_words(std::vector<std::string>(80, "w")), {});
  EXPECT_LT(rects(many), 10U);
  EXPECT_EQ(count_of(many, "<image "), 2U);
  EXPECT_THAT(many, HasSubstr("image-rendering:pixelated"));
}

TEST(RenderSvg, StyleShows) {
  const Figure figure = figure_of_words({"a", "b"});
  EXPECT_THAT(render_svg(figure, {.dark = true}), HasSubstr("fill=\"#0f1215\"/>"));
  EXPECT_THAT(render_svg(figure, {.dark = true, .transparent = true}), Not(HasSubstr("#0f1215")));
  EXPECT_THAT(render_svg(figure, {.title = "My <own>"}), HasSubstr(">My &lt;own&gt;</text>"));
  const std::string untitled = render_svg(figure, {.title = ""});
  EXPECT_THAT(untitled, Not(HasSubstr(">model</text>")));
  EXPECT_THAT(untitled, HasSubstr("<title>Layer 0, head 0</title>")) << "for who cannot see it";
  EXPECT_THAT(render_svg(figure, {.font = "It's 1"}), HasSubstr("font-family=\"&#39;It\\&#39;s 1&#39;, Noto Sans"));
  const std::string page = render_svg(
      figure, {.page = PageSize{.width = 96 / 25.4 * 85, .height = 96 / 25.4 * 70, .unit = "mm", .unit_size = 96 / 25.4}});
  EXPECT_THAT(page, HasSubstr("width=\"85mm\" height=\"70mm\" viewBox=\"0 0 321.26 264.567\""));
}

TEST(CellPixels, AsManyAsUnitsWithinBounds) {
  const auto pixels = [](double cell, std::size_t n) {
    return cell_pixels({.cell_width = cell, .cell_height = 1, .n_rows = 1, .n_columns = n}).across;
  };
  EXPECT_EQ(pixels(3, 512), 3U);
  EXPECT_EQ(pixels(40, 16), 8U);
  EXPECT_EQ(pixels(0.3, 9000), 1U);
  EXPECT_EQ(pixels(3, 3000), 1U);
}

}  // namespace
}  // namespace attnviz
