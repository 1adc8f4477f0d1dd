// metaspace.h: marks for spaces, the one in front, and the words they begin.
#include "text/split/metaspace.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

using Prepend = MetaspaceSpec::Prepend;

std::vector<std::string> split(const MetaspaceSpec& spec, AlignedText text) {
  std::vector<WordText> words;
  Metaspace(spec, "test").split(std::move(text), &words);
  std::vector<std::string> texts;
  for (const WordText& word : words) {
    std::string& out = texts.emplace_back();
    for (const AlignedChar& c : word.text) append_utf8(&out, c.code_point);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Metaspace, SplitsBeforeEachMark) {
  EXPECT_EQ(split({}, align_text("Hey  you")), (Texts{"▁Hey", "▁", "▁you"}));
  EXPECT_EQ(split({}, align_text(" Hey▁you ")), (Texts{"▁Hey", "▁you", "▁"}));
  EXPECT_EQ(split({.split = false}, align_text("Hey you")), (Texts{"▁Hey▁you"}));
  EXPECT_EQ(split({.replacement = "_"}, align_text("Hey you")), (Texts{"_Hey", "_you"}));
}

TEST(Metaspace, PutsAMarkInFrontAsAsked) {
  EXPECT_EQ(split({.prepend = Prepend::kNever}, align_text("Hey you")), (Texts{"Hey", "▁you"}));
  EXPECT_EQ(split({.prepend = Prepend::kFirst}, align_text("Hey")), (Texts{"▁Hey"}));
  const AlignedText text = align_text("<s>Hey");
  EXPECT_EQ(split({.prepend = Prepend::kFirst}, AlignedText(text.begin() + 3, text.end())), (Texts{"Hey"}));
  EXPECT_EQ(split({.prepend = Prepend::kAlways}, AlignedText(text.begin() + 3, text.end())), (Texts{"▁Hey"}));
  EXPECT_EQ(split({}, {}), Texts{});
}

TEST(Metaspace, TheMarkInFrontHasAnEmptyPlace) {
  std::vector<WordText> words;
  Metaspace({}, "test").split(align_text("日 x"), &words);
  ASSERT_EQ(words.size(), 2U);
  ASSERT_EQ(words[0].text.size(), 2U);
  EXPECT_EQ(words[0].text[0].end, 0U);
  EXPECT_EQ(words[0].text[1].end, 3U);
  EXPECT_EQ(words[1].text[0].begin, 3U);
  EXPECT_EQ(words[1].text[0].end, 4U);
}

TEST(Metaspace, WantsOneCharacter) {
  for (const char* bad : {"", "__", "\xE2\x96"}) EXPECT_THROW(Metaspace({.replacement = bad}, "test"), Error) << bad;
}

}  // namespace
}  // namespace attnviz
