// Every setting that the library names is an option of some command.
#include "cli/options/setting_options.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "cli/commands/commands.h"

namespace attnviz {
namespace {

TEST(SettingOptions, AreOptionsOfACommand) {
  CLI::App show;
  CLI::App render;
  CLI::App pull;
  declare_show(show);
  declare_render(render);
  declare_pull(pull);
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const std::string option(option_of(static_cast<Setting>(i)));
    bool known = false;
    for (CLI::App* app : {&show, &render, &pull}) known = known || app->get_option_no_throw(option) != nullptr;
    EXPECT_TRUE(known) << option;
  }
}

TEST(SettingOptions, AreSpelledInMessages) {
  EXPECT_EQ(message_of(SettingError(ErrorKind::kUsage, {Setting::kWidth, ": try ", Setting::kDpi})), "--width: try --dpi");
  EXPECT_EQ(message_of(Error(ErrorKind::kUsage, "text: is empty")), "text: is empty");
}

}  // namespace
}  // namespace attnviz
