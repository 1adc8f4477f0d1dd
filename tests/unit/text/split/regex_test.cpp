// regex.h and regex_syntax.h: what matches, and which patterns are refused because the reference could read them otherwise.
#include "text/split/regex.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

#include "text/split/regex_syntax.h"

namespace attnviz {
namespace {

std::string matches(std::string_view pattern, std::string_view text) {
  std::string out;
  for (const CharRange& range : Regex(pattern, "file").find_all(align_text(text))) {
    out += "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
  }
  return out;
}

TEST(Regex, CountsCharactersNotBytes) {
  EXPECT_EQ(matches(R"(\p{L}+)", "é東 a"), "[0,2)[3,4)");
  EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "a  b "), "[1,2)[2,3)[4,5)");
  EXPECT_EQ(matches("(?i:'s|'t)", "'S't"), "[0,2)[2,4)");
  EXPECT_EQ(matches("x", ""), "");
}

TEST(Regex, AnEmptyMatchNeverTouchesTheOneBefore) { EXPECT_EQ(matches("b*", "abba"), "[0,0)[1,3)[4,4)"); }

TEST(Regex, ClassesAreTheReferences) {
  EXPECT_EQ(matches(R"(\s)", "\xE1\xA0\x8E"), "") << "U+180E is white space for PCRE2 alone";
  EXPECT_EQ(matches(R"(\p{L})", "\xF0\x96\x84\x80"), "[0,1)") << "U+16100 is a letter of Unicode 16";
  EXPECT_EQ(matches(R"(\s)", "\xC2\x85\xC2\xA0"), "[0,1)[1,2)");
}

TEST(Regex, PatternsOfKnownModelsAreUnderstood) {
  for (const std::string_view pattern : {
           R"('s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
           R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
           R"([\p{Lu}\p{M}]*[\p{Ll}]++|\d|[0-9][0-9]|[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]+)",
       }) {
    EXPECT_EQ(ambiguous_part(pattern), std::nullopt) << pattern;
  }
}

TEST(Regex, WhatCouldBeReadOtherwiseIsRefused) {
  for (const std::string_view pattern :
       {R"(\w+)", R"(\b)", R"(\h)", R"(\p{Han})", R"(\pL)", "[a-z&&[aeiou]]", "[[:alpha:]]", R"(\p{N}{1,3}+)", "(?m:.)", "(?<n>a)",
        "(*FAIL)", R"(\x41)", R"(\1)", R"(\)", "[]a]", R"(\p{L)"}) {
    EXPECT_NE(ambiguous_part(pattern), std::nullopt) << pattern;
    EXPECT_THROW(Regex(pattern, "file"), Error) << pattern;
  }
}

TEST(Regex, BrokenPatternsAreNamed) {
  for (const std::string_view pattern : {"(a", "a)", "[a", "a**b{2,1}", "(?<=a+)b"}) {
    try {
      Regex(pattern, "file");
      ADD_FAILURE() << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file: the pattern \"")) << error.what();
    }
  }
}

TEST(Regex, APatternThatExplodesGivesUp) { EXPECT_THROW(matches("(a+)+[bc]", std::string(5000, 'a')), Error); }

}  // namespace
}  // namespace attnviz
