// PDF: the same bytes for the same figure, the page's size, and what it tells about itself. What can be read from it, pdftotext is
// asked in tests/cli/test_vector.py.
#include "render/picture/pdf.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_figure.h"

namespace attnviz {
namespace {

using testing::HasSubstr;

TEST(RenderPdf, SameFigureSameBytes) {
  const Figure figure = figure_of_words({"animal", "\u0645\u0631\u062D\u0628\u0627", "\u4F60", "\U0001F600"});
  const std::string pdf = render_pdf(figure, {});
  EXPECT_EQ(pdf, render_pdf(figure, {}));
  EXPECT_TRUE(pdf.starts_with("%PDF-1."));
  EXPECT_THAT(pdf, HasSubstr("/Title (Layer 0, head 0)"));
  EXPECT_THAT(pdf, HasSubstr("/Subject (attnviz 'a <b>')"));
  EXPECT_THAT(pdf, HasSubstr("/Creator (attnviz)"));
  EXPECT_THAT(pdf, HasSubstr("/FontFile2"));
}

// The line with a date in it, or nothing.
std::string date_in(const std::string& pdf) {
  const std::size_t at = pdf.find("/CreationDate ");
  return at == std::string::npos ? "" : pdf.substr(at, pdf.find('\n', at) - at);
}

TEST(RenderPdf, HasADateOnlyWhereOneIsAskedFor) {
  const Figure figure = figure_of_words({"a"});
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(date_in(render_pdf(figure, {})), "");
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  EXPECT_EQ(date_in(render_pdf(figure, {})), "/CreationDate (19700102000000Z)");
  setenv("SOURCE_DATE_EPOCH", "tomorrow", 1);
  EXPECT_EQ(date_in(render_pdf(figure, {})), "");
  unsetenv("SOURCE_DATE_EPOCH");
}

TEST(RenderPdf, ThePageHasThePicturesSize) {
  const PageSize page{.width = 400, .height = 300};
  EXPECT_THAT(render_pdf(figure_of_words({"a", "b"}), {.page = page}), HasSubstr("0 0 300 225"));
}

TEST(RenderPdf, TakesWhatCairoRefuses) {
  Figure figure = figure_of_words({"\uFFFEa", std::string("b\0c", 3), "\xFF", "\uFDD0", "\u0001"});
  figure.command = "\uFFFF\xC3";
  EXPECT_TRUE(render_pdf(figure, {.title = "\U0001FFFE"}).starts_with("%PDF"));
}

}  // namespace
}  // namespace attnviz
