// What is told of a picture: characters without a glyph, the title. And families that are not there.
#include "render/picture/picture.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/picture/fonts.h"
#include "render/picture/pdf.h"
#include "render/picture/png.h"
#include "small_figure.h"

namespace attnviz {
namespace {

// Planes that no font covers: unassigned code points.
const std::string kMissing = "\U000AFFF0";
const std::string kMissingToo = "\U0009FFF1";

TEST(ComposePicture, TellsWhatNoFontHasEachTime) {
  const Figure figure = figure_of_words({"animal", "x" + kMissing, kMissingToo, kMissing});
  for (int i = 0; i < 2; ++i) {  // the second time it is all remembered
    RenderNotes notes;
    compose_picture(figure, {}, &notes);
    ASSERT_EQ(notes.missing.size(), 2U);
    EXPECT_EQ(notes.missing[0].code_point, 0x9FFF1U);
    EXPECT_EQ(notes.missing[1].code_point, 0xAFFF0U);
    EXPECT_EQ(notes.missing[1].text, "x" + kMissing);
  }
  RenderNotes none;
  compose_picture(figure_of_words({"animal"}), {}, &none);
  EXPECT_TRUE(none.missing.empty());
}

TEST(ComposePicture, MissingGlyphsAreDrawn) {
  EXPECT_NE(render_png(figure_of_words({kMissing}), {}), render_png(figure_of_words({kMissingToo}), {})) << "boxes with numbers";
  EXPECT_GT(render_pdf(figure_of_words({kMissing}), {}).size(), render_pdf(figure_of_words({"a"}), {}).size()) << "as an image";
}

TEST(PictureTitle, OwnTitlesGoFirstAndNoneKeepsTheFigures) {
  const Figure figure = figure_of_words({"a"});
  EXPECT_EQ(picture_title(figure, {}), "Layer 0, head 0");
  EXPECT_EQ(picture_title(figure, {.title = "Mine"}), "Mine");
  EXPECT_EQ(picture_title(figure, {.title = ""}), "Layer 0, head 0");
}

TEST(CheckFontFamily, KnowsWhatIsInstalled) {
  EXPECT_NO_THROW(check_font_family("DejaVu Sans"));
  EXPECT_NO_THROW(check_font_family("dejavu sans")) << "as fontconfig, whatever the case";
  EXPECT_NO_THROW(check_font_family("serif"));
  try {
    check_font_family("DejaVu Sanz");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean DejaVu Sans"));
  }
  EXPECT_THROW(check_font_family("DejaVu Sans, Noto Sans"), Error) << "one family, no list";
}

}  // namespace
}  // namespace attnviz
