// Strongest links: order, ties, and what does not count as content.
#include "trace/links.h"

#include <cstdint>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

TEST(StrongestOfRow, SortsByWeightThenReadingOrder) {
  const Trace trace = small_trace();
  const std::vector<Link> links = strongest_of_row(trace.maps[0], 1, 4);
  ASSERT_EQ(links.size(), 4u);
  std::vector<std::size_t> keys;
  for (const Link& link : links) keys.push_back(link.key_pos);
  EXPECT_EQ(keys, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(links[3].weight, 0.125f);
  EXPECT_EQ(links[0].layer, 3u);
  EXPECT_EQ(links[0].head, 1u);
  EXPECT_EQ(links[0].query_pos, 1u);
  EXPECT_EQ(strongest_of_row(trace.maps[0], 2, 1)[0].key_pos, 3u);
}

TEST(StrongestOfRow, GivesNoMoreThanThereAre) { EXPECT_EQ(strongest_of_row(small_trace().maps[0], 0, 99).size(), 5u); }

TEST(StrongestOfRow, GivesACellThatIsNoWeightNone) {
  Trace trace = small_trace();
  trace.maps[0].pattern[5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Link> links = strongest_of_row(trace.maps[0], 1, 5);
  ASSERT_EQ(links.size(), 5u);
  EXPECT_EQ(links[0].key_pos, 1u);
  EXPECT_EQ(links[4].key_pos, 0u);
  EXPECT_EQ(links[4].weight, 0.0f);
}

TEST(IsSelfLink, GoesByTheTextsTokensNotByPlaces) {
  Trace trace = small_trace();
  EXPECT_TRUE(is_self_link(trace, trace.maps[0], 2, 2));
  EXPECT_FALSE(is_self_link(trace, trace.maps[0], 2, 1));
  for (std::size_t i = 0; i < 5; ++i)
    trace.queries[i].position = 10 + i, trace.keys[i].position = 4 * i, trace.keys[i].n_tokens = 4;
  EXPECT_FALSE(is_self_link(trace, trace.maps[0], 2, 2));
  EXPECT_TRUE(is_self_link(trace, trace.maps[0], 1, 2)) << "token 11 lies in the tile that begins at 8";
  EXPECT_TRUE(is_self_link(trace, trace.maps[0], 2, 3)) << "and token 12 begins the next";
}

TEST(StrongestTellingLink, IsNeitherInAWordNorToTheWordBeside) {
  Trace trace;
  for (const std::int32_t word : {0, 1, 1, 2, 3}) {
    Token token;
    token.word = word;
    trace.queries.push_back(token);
  }
  trace.keys = trace.queries;
  AttentionMap map{Site::kSelf, 3, 1, 5, 5, {}};
  map.pattern.assign(25, 0.01f);
  map.pattern[1 * 5 + 2] = 0.9f;  // in a word
  map.pattern[3 * 5 + 2] = 0.8f;  // the word beside
  map.pattern[4 * 5 + 1] = 0.3f;
  const auto link = strongest_telling_link(trace, map);
  ASSERT_TRUE(link);
  EXPECT_EQ(std::pair(link->query_pos, link->key_pos), std::pair(std::size_t{4}, std::size_t{1}));

  for (std::size_t place = 0; place < 5; ++place) trace.queries[place].word = trace.keys[place].word = 0;
  EXPECT_EQ(strongest_telling_link(trace, map)->key_pos, 2u) << "no other link than these";

  for (std::size_t place = 0; place < 5; ++place) trace.queries[place].word = trace.keys[place].word = -1;
  EXPECT_EQ(strongest_telling_link(trace, map)->query_pos, 4u) << "places tell where words are not known";
}

TEST(StrongestContentLinks, SkipsSpecialTokensAndTokensThemselves) {
  const std::vector<Link> links = strongest_content_links(small_trace(), 9);
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].query_pos, 2u);
  EXPECT_EQ(links[0].key_pos, 3u);
  EXPECT_EQ(links[0].weight, 0.75f);
}

TEST(StrongestContentLinks, PutsTheStrongestMapFirstAndKeepsMapOrderForEqualOnes) {
  Trace trace = small_trace();
  AttentionMap weak = trace.maps[0];
  weak.layer = 0;
  for (float& weight : weak.pattern) weight *= 0.5f;
  AttentionMap equal = trace.maps[0];
  equal.head = 2;
  trace.maps = {weak, trace.maps[0], equal};
  const std::vector<Link> links = strongest_content_links(trace, 3);
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].head, 1u);
  EXPECT_EQ(links[1].head, 2u);
  EXPECT_EQ(links[2].layer, 0u);
  EXPECT_EQ(strongest_content_links(trace, 2).size(), 2u);
}

TEST(StrongestContentLinks, HasNothingToSayAboutOneWord) {
  Trace trace = small_trace();
  trace.queries = {make_token("[CLS]", TokenKind::kSpecial, -1), make_token("a", TokenKind::kWord, 0)};
  trace.keys = trace.queries;
  trace.maps = {make_map(0, 0, {{0.5f, 0.5f}, {0.5f, 0.5f}})};
  EXPECT_TRUE(strongest_content_links(trace, 5).empty());
}

}  // namespace
}  // namespace attnviz
