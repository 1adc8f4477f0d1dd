// The library's messages name settings in words, and keep them as values for callers that spell them differently.
#include "base/setting_error.h"

#include <set>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(SettingError, JoinsItsParts) {
  const SettingError error(ErrorKind::kInput, {Setting::kColourMap, ": is not known; try ", Setting::kScale, " log"});
  EXPECT_STREQ(error.what(), "colour map: is not known; try scale log");
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  ASSERT_EQ(error.parts().size(), 4U);
  EXPECT_EQ(std::get<Setting>(error.parts()[2]), Setting::kScale);
  EXPECT_EQ(error.spelled([](Setting) -> std::string_view { return "X"; }), "X: is not known; try X log");
}

TEST(SettingError, EverySettingHasItsOwnName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kSettingCount; ++i) names.insert(setting_name(static_cast<Setting>(i)));
  EXPECT_EQ(names.size(), kSettingCount);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace attnviz
