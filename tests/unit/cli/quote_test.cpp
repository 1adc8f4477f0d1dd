// Quoted words come back from a real shell as they were.
#include "cli/quote.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

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

TEST(Quote, SurvivesTheShell) {
  for (const char* word : {"plain", "", "two words", "didn't", "say \"hi\"", "$HOME", "`ls`", "a\\b", "it's \"$1\"", "new\nline",
                           "!x", "*", "~", "a;b", "日本語", "-x"}) {
    EXPECT_EQ(through_shell(word), word);
  }
}

TEST(Quote, KeepsSentencesReadable) {
  EXPECT_EQ(shell_quote("The animal didn't cross."), "\"The animal didn't cross.\"");
  const std::vector<std::string> arguments = {"A b", "--layer", "0-2,5"};
  EXPECT_EQ(quoted_command(arguments, "png"), "attnviz \"A b\" --layer 0-2,5 -f png");
}

TEST(Quote, LeavesOutWhatChangesNoByte) {
  const std::vector<std::string> arguments = {"A", "--threads", "2", "-o", "x.png", "--head=1", "-q", "--output=y.png", "-oz.png"};
  EXPECT_EQ(quoted_command(arguments, "png"), "attnviz A --head=1 -f png");
}

TEST(Quote, KeepsAGivenFormatAndTextsThatLookLikeOptions) {
  const std::vector<std::string> arguments = {"-f", "csv", "--", "-o", "-q"};
  EXPECT_EQ(quoted_command(arguments, "csv"), "attnviz -f csv -- -o -q");
  EXPECT_EQ(quoted_command(std::vector<std::string>{"--", "-x"}, "json"), "attnviz -f json -- -x");
}

}  // namespace
}  // namespace attnviz
