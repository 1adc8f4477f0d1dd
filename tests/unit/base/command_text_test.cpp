// A real shell reads quoted words back unchanged.
#include "base/command_text.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

std::string through_shell(const std::string& word) {
  const std::string command = "printf %s " + shell_quote(word);
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  ::pclose(pipe);
  return out;
}

TEST(ShellQuote, SurvivesTheShell) {
  for (const char* word : {"plain", "", "two words", "didn't", "say \"hi\"", "$HOME", "`ls`", "a\\b", "it's \"$1\"", "new\nline",
                           "!x", "*", "~", "a;b", "日本語", "-x"}) {
    EXPECT_EQ(through_shell(word), word);
  }
}

TEST(ShellQuote, KeepsSentencesReadable) { EXPECT_EQ(shell_quote("The animal didn't cross."), "\"The animal didn't cross.\""); }

TEST(CommandText, IsTheCommandThenItsPartsThenTheTexts) {
  Provenance made;
  EXPECT_EQ(command_text(made), "");
  made.made_by.command = "render";
  EXPECT_EQ(command_text(made), "attnviz render");
  made.made_by.parts = {{.value = "a b", .words = {"a b"}}, {.option = "layer", .value = "0-2,5", .words = {"--layer", "0-2,5"}}};
  EXPECT_EQ(command_text(made), "attnviz render \"a b\" --layer 0-2,5");
  made.made_by.texts = {"-x", "$y"};
  EXPECT_EQ(command_text(made), "attnviz render \"a b\" --layer 0-2,5 -- -x '$y'");
}

}  // namespace
}  // namespace attnviz
