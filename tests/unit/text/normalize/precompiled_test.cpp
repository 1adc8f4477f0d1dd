// precompiled.h: SentencePiece's character map, applied the reference's way, and broken maps.
#include "text/normalize/precompiled.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "charsmap_builder.h"

namespace attnviz {
namespace {

std::string map_of_tests() {
  return CharsMapBuilder::build(
      {{"\t", " "}, {"\u00ad", ""}, {"\ufb01", "fi"}, {"e\u0301", "é"}, {"a", "b"}, {"\u0301", "+"}, {"日", "x"}});
}

AlignedText normalized(const std::string& map, std::string_view text) {
  const PrecompiledSpec spec{map};
  return PrecompiledNormalizer(spec, "test").normalize(align_text(text));
}

std::string text_of(const AlignedText& text) {
  std::string out;
  for (const AlignedChar& c : text) append_utf8(&out, c.code_point);
  return out;
}

TEST(Precompiled, ReplacesDropsAndLengthens) { EXPECT_EQ(text_of(normalized(map_of_tests(), "x\tﬁ\u00adc日")), "x ficx"); }

TEST(Precompiled, KeepsPlaces) {
  const AlignedText text = normalized(map_of_tests(), "\u00adﬁe\u0301z");
  ASSERT_EQ(text_of(text), "fiéz");
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> places = {{2, 5}, {2, 5}, {5, 8}, {8, 9}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(text[i].begin, places[i].first) << i;
    EXPECT_EQ(text[i].end, places[i].second) << i;
  }
}

TEST(Precompiled, TheShortestEntryStandsForAllOfASmallGrapheme) {
  EXPECT_EQ(text_of(normalized(map_of_tests(), "a\u0308c")), "bc");  // as the reference: the dots go with the "a"
}

TEST(Precompiled, TakesALargeGraphemeByItsCharacters) {
  EXPECT_EQ(text_of(normalized(map_of_tests(), "e\u0301\u0308\u0308")), "e+\u0308\u0308");  // seven bytes
}

TEST(Precompiled, ANulEndsALookUp) {
  EXPECT_EQ(text_of(normalized(map_of_tests(), std::string_view("\0a", 2))), std::string("\0b", 2));
}

TEST(Precompiled, RefusesWhatIsNoMap) {
  const std::string good = map_of_tests();
  for (const std::string& bad : {std::string(), std::string("abc"), std::string(8, '\xFF'), std::string(8, '\0'),
                                 good.substr(0, 100), good + "\xC3", std::string("\3\0\0\0abcd", 8)}) {
    EXPECT_THROW(normalized(bad, "a"), Error);
  }
}

TEST(Precompiled, ABrokenTrieLeadsNowhereOutside) {
  const std::string good = map_of_tests();
  for (std::size_t i = 4; i < good.size(); ++i) {
    for (const char value : {'\xFF', '\x01', '\x80'}) {
      std::string bad = good;
      bad[i] = value;
      try {
        const AlignedText text = normalized(bad, "a\tﬁe\u0301日\u00adz");
        EXPECT_FALSE(find_invalid_utf8(text_of(text)));
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("character map"));
      }
    }
  }
}

}  // namespace
}  // namespace attnviz
