// Words of a highlight or a row found in a trace, whole or a part, and lists taken apart.
#include "trace/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/setting_error.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string fault_of(std::string_view link, const Trace& trace, const ShownPart& shown = {}) {
  try {
    find_link(link, axes_of(trace), shown);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FindLink, AWordOfSeveralPiecesIsABlock) {
  const LinkSpan link = find_link("unhappy:cat", axes_of(small_trace()));
  EXPECT_EQ(link, (LinkSpan{{1, 3}, {3, 4}}));
  EXPECT_EQ(span_name(small_trace().queries, link.query), "unhappy");
}

TEST(FindLink, WordsMayHoldColonsAndCommas) {
  Trace trace = small_trace();
  trace.queries[3].text = trace.keys[3].text = "a:b";
  EXPECT_EQ(find_link("a:b:[SEP]", axes_of(trace)).key.begin, 4U);
  EXPECT_EQ(find_link("[CLS]:a:b", axes_of(trace)).key.begin, 3U);
  EXPECT_THAT(split_links("it:animal,it:street"), ElementsAre("it:animal", "it:street"));
  EXPECT_THAT(split_links("it:,"), ElementsAre("it:,"));
  EXPECT_THAT(split_links("it:1,000,a:b"), ElementsAre("it:1,000", "a:b"));
  EXPECT_THAT(split_links("it"), ElementsAre("it"));
}

TEST(FindLink, NamesWhatIsWrong) {
  EXPECT_THAT(fault_of("unhappy", small_trace()), HasSubstr("expected two words with a colon"));
  EXPECT_THAT(fault_of("unhappy:kat", small_trace()), AllOf(HasSubstr("highlight \"kat\""), HasSubstr("did you mean cat?")));
  EXPECT_THAT(fault_of("dog:cat", small_trace()), HasSubstr("\"dog\": is not in the text"));
  EXPECT_THAT(fault_of("@7:cat", small_trace()), HasSubstr("past the last token"));
}

TEST(FindLink, RefusesALinkOutsideTheShownPart) {
  EXPECT_EQ(fault_of("cat:unhappy", small_trace(), {.rows = TokenSpan{3, 5}}), "no error");
  EXPECT_THAT(fault_of("unhappy:cat", small_trace(), {.rows = TokenSpan{2, 4}}),
              HasSubstr("\"unhappy\" is not among the queries that are shown, @2 to @3"));
  EXPECT_THAT(fault_of("cat:unhappy", small_trace(), {.columns = TokenSpan{3, 4}}),
              HasSubstr("\"unhappy\" is not among the keys that are shown, @3 to @3"));
}

// The tokens of a part have positions, which index the text; a tile stands for several tokens.
TEST(MarksInPart, PositionsOfTheTextBecomeRowsAndColumns) {
  Trace trace = small_trace();
  for (std::size_t i = 0; i < 5; ++i) {
    trace.queries[i].position = 100 + i;
    trace.keys[i].position = 8 * i;
    trace.keys[i].n_tokens = 8;
  }
  EXPECT_EQ(find_link("@102:@17", axes_of(trace)), (LinkSpan{{2, 3}, {2, 3}}));
  EXPECT_THAT(fault_of("@7:@1", trace), HasSubstr("is not among the 5 that are shown"));
  const Marks marks = marks_in_part({.row = TokenSpan{101, 103}, .links = {{{104, 105}, {7, 17}}}}, trace);
  EXPECT_EQ(marks.row, (TokenSpan{1, 3}));
  EXPECT_THAT(marks.links, ElementsAre(LinkSpan{{4, 5}, {0, 3}}));
  EXPECT_THROW(marks_in_part({.row = TokenSpan{99, 101}}, trace), SettingError);
  EXPECT_THROW(marks_in_part({.links = {{{100, 101}, {39, 41}}}}, trace), SettingError);
}

TEST(ChooseQuery, ByWordThenFocusThenMarkThenStrongestLink) {
  Trace trace = small_trace();
  EXPECT_EQ(choose_query(trace, find_marks({.row = "unhappy"}, axes_of(trace))).rows, (TokenSpan{1, 3}));
  EXPECT_EQ(choose_query(trace, {}).rows, (TokenSpan{2, 3}));
  EXPECT_EQ(choose_query(trace, find_marks({.links = {"cat:unhappy"}}, axes_of(trace))).rows, (TokenSpan{3, 4}));
  trace.focus = "unhappy cat";
  EXPECT_EQ(choose_query(trace, {}).rows, (TokenSpan{0, 5}));
  EXPECT_THROW(find_marks({.row = "dog"}, axes_of(trace)), SettingError);
}

}  // namespace
}  // namespace attnviz
