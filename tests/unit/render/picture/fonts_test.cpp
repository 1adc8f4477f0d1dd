// Names of font families: installed ones in any case, CSS's generic ones, and the hint where there is no such family.
#include "render/picture/fonts.h"

#include <attnviz/error.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& family) {
  try {
    check_font_family(family);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(Fonts, InstalledAndGenericFamiliesAreTaken) {
  for (const char* family : {"DejaVu Sans", "dejavu sans", "serif", "Sans-Serif", "monospace"}) {
    EXPECT_EQ(message_of(family), "no error") << family;
  }
}

TEST(Fonts, AnotherFamilyIsRefusedWithNearOnes) {
  EXPECT_THAT(message_of("DejaVu Sanz"), HasSubstr("DejaVu Sans"));
  EXPECT_THAT(message_of("Zzyzx"), HasSubstr("no installed font has this family"));
}

}  // namespace
}  // namespace attnviz
