// Every occurrence is replaced once.
#include "base/replace_all.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  replace_all(&text, from, to);
  return text;
}

TEST(ReplaceAll, ReplacesFromLeftToRightAndDoesNotSearchTheNewText) {
  EXPECT_EQ(replaced("a<b<<", "<", "&lt;"), "a&lt;b&lt;&lt;");
  EXPECT_EQ(replaced("aaa", "aa", "a"), "aa");
  EXPECT_EQ(replaced("\"", "\"", "\"\""), "\"\"");
  EXPECT_EQ(replaced("abc", "b", ""), "ac");
  EXPECT_EQ(replaced("", "x", "y"), "");
}

}  // namespace
}  // namespace attnviz
