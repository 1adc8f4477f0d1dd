// added_tokens.h: which match counts, and what its token's flags do to it.
#include "text/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

using testing::ElementsAre;

// The pieces of `text`; added tokens in angle brackets.
std::vector<std::string> split(std::vector<AddedTokenSpec> tokens, std::string_view text, bool plain = false) {
  AddedTokenFinder finder;
  for (const AddedTokenSpec& token : tokens) finder.add(code_points(align_text(token.content)), &token);
  const AlignedText aligned = align_text(text);
  std::vector<std::string> out;
  for (const auto& piece : finder.split(aligned, plain)) {
    std::string part;
    for (std::size_t i = piece.range.begin; i < piece.range.end; ++i) append_utf8(&part, aligned[i].code_point);
    out.push_back(piece.token != nullptr ? "<" + part + ">" : part);
  }
  return out;
}

TEST(AddedTokens, LeftmostLongest) {
  const std::vector<AddedTokenSpec> tokens = {{.content = "ab"}, {.content = "abcd"}, {.content = "bcdef"}};
  EXPECT_THAT(split(tokens, "xabcdefab"), ElementsAre("x", "<abcd>", "ef", "<ab>"));
  EXPECT_THAT(split(tokens, ""), ElementsAre());
  EXPECT_THAT(split({}, "ab"), ElementsAre("ab"));
}

TEST(AddedTokens, SingleWord) {
  const std::vector<AddedTokenSpec> tokens = {{.content = "ing", .single_word = true}};
  EXPECT_THAT(split(tokens, "sing ing-ing inging_"), ElementsAre("sing ", "<ing>", "-", "<ing>", " inging_"));
}

TEST(AddedTokens, StripsSpace) {
  EXPECT_THAT(split({{.content = "M", .lstrip = true}}, "a \tM b"), ElementsAre("a", "< \tM>", " b"));
  EXPECT_THAT(split({{.content = "M", .rstrip = true}}, "a M\u3000 b"), ElementsAre("a ", "<M\u3000 >", "b"));
  EXPECT_THAT(split({{.content = "M", .lstrip = true, .rstrip = true}}, " M M "), ElementsAre("< M >", "<M >"));
}

TEST(AddedTokens, SpaceThatIsTakenCannotBeginAToken) {
  EXPECT_THAT(split({{.content = "M", .rstrip = true}, {.content = " x"}}, "M x x"), ElementsAre("<M >", "x", "< x>"));
}

TEST(AddedTokens, PlainPassesOverSpecialOnes) {
  const std::vector<AddedTokenSpec> tokens = {{.content = "[MASK]", .special = true}, {.content = "new"}};
  EXPECT_THAT(split(tokens, "[MASK]new"), ElementsAre("<[MASK]>", "<new>"));
  EXPECT_THAT(split(tokens, "[MASK]new", true), ElementsAre("[MASK]", "<new>"));
}

}  // namespace
}  // namespace attnviz
