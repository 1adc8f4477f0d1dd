// --size: what people write for a page, and what is refused.
#include "cli/options/page_size.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

void expect_size(const std::string& text, double width, std::optional<double> height, double dpi = 96) {
  const PageSize page = parse_page_size(text, dpi);
  EXPECT_NEAR(page.width, width, 1e-9) << text;
  ASSERT_EQ(page.height.has_value(), height.has_value()) << text;
  if (height) {
    EXPECT_NEAR(*page.height, *height, 1e-9) << text;
  }
}

TEST(PageSize, EveryUnit) {
  expect_size("25.4mm", 96, std::nullopt);
  expect_size("2.54x5.08cm", 96, 192);
  expect_size("1inx72pt", 96, 96);
  expect_size("400x300px", 400, 300);
  expect_size("400pxx300px", 400, 300);
  expect_size("400px", 400, std::nullopt);
  expect_size("400x300px", 200, 150, 192);
  EXPECT_EQ(parse_page_size("85x60mm", 96).unit, "mm");
}

TEST(PageSize, AnythingElseIsRefusedWithExamples) {
  for (const char* text : {"",      "85",    "x60mm", "85x",       "85x60", "85mmx60", "mm",  "-85mm", "0mm",     "1e2mm",
                           "nanmm", "infmm", "85 mm", "85x60mmx3", "85km",  "px",      "xpx", "1mm",   "99999mm", "85mm\n"}) {
    try {
      parse_page_size(text, 96);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), testing::HasSubstr("85x60mm")) << text;
    }
  }
}

}  // namespace
}  // namespace attnviz
