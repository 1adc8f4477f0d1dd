// Words of a highlight or a row found in a trace, whole or a part, and lists taken apart.
#include "figure/marks.h"

#include "unit/trace/trace_builder.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fault_of(std::string_view link, const Trace& trace) {
  try {
    find_link(link, trace);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Marks, AWordOfSeveralPiecesIsABlock) {
  const CellMark mark = find_link("unhappy:cat", small_trace());
  EXPECT_EQ(mark.row, 1U);
  EXPECT_EQ(mark.n_rows, 2U);
  EXPECT_EQ(mark.column, 3U);
  EXPECT_EQ(mark.n_columns, 1U);
  EXPECT_EQ(mark.name, "unhappy → cat");
  // As merging words has it: (0.125 + 0.75) / 2.
  const Trace trace = small_trace();
  const Panel panel{.n_rows = 5, .n_columns = 5, .values = {trace.maps[0].pattern.begin(), trace.maps[0].pattern.end()}};
  EXPECT_NEAR(mark_weight(panel, mark), 0.4375, 1e-7);
  EXPECT_EQ(marks_remark({mark}, panel), "unhappy → cat 0.438");
  EXPECT_NEAR(mark_weight(panel, find_link("cat:unhappy", trace)), 0.625, 1e-7);
}

TEST(Marks, WordsMayHoldColonsAndCommas) {
  Trace trace = small_trace();
  trace.queries[3].text = trace.keys[3].text = "a:b";
  EXPECT_EQ(find_link("a:b:[SEP]", trace).column, 4U);
  EXPECT_EQ(find_link("[CLS]:a:b", trace).column, 3U);
  EXPECT_THAT(split_links("it:animal,it:street"), ElementsAre("it:animal", "it:street"));
  EXPECT_THAT(split_links("it:,"), ElementsAre("it:,"));
  EXPECT_THAT(split_links("it:1,000,a:b"), ElementsAre("it:1,000", "a:b"));
  EXPECT_THAT(split_links("it"), ElementsAre("it"));
}

TEST(Marks, SayWhatIsWrong) {
  EXPECT_THAT(fault_of("unhappy", small_trace()), HasSubstr("expected two words with a colon"));
  EXPECT_THAT(fault_of("unhappy:kat", small_trace()),
              testing::AllOf(HasSubstr("--highlight \"kat\""), HasSubstr("did you mean cat?")));
  EXPECT_THAT(fault_of("dog:cat", small_trace()), HasSubstr("\"dog\": is not in the text"));
  EXPECT_THAT(fault_of("@7:cat", small_trace()), HasSubstr("past the last token"));
}

// Entries of a part say which of the text's tokens they are; a tile stands for several.
TEST(Marks, IndicesAreThoseOfTheText) {
  Trace trace = small_trace();
  for (std::size_t i = 0; i < 5; ++i) {
    trace.queries[i].position = 100 + i;
    trace.keys[i].position = 8 * i;
    trace.keys[i].n_tokens = 8;
  }
  const CellMark mark = find_link("@102:@17", trace);
  EXPECT_EQ(mark.row, 2U);
  EXPECT_EQ(mark.column, 2U);
  EXPECT_THAT(fault_of("@7:@1", trace), HasSubstr("is not among the 5 that are shown"));
}

TEST(ChooseQuery, ByWordThenFocusThenMarkThenStrongestLink) {
  Trace trace = small_trace();
  EXPECT_EQ(choose_query(trace, {.row = "unhappy"}).rows, (TokenSpan{1, 3}));
  EXPECT_EQ(choose_query(trace, {}).rows, (TokenSpan{2, 3}));
  EXPECT_EQ(choose_query(trace, {.highlights = {"cat:unhappy"}}).rows, (TokenSpan{3, 4}));
  trace.focus = "unhappy cat";
  EXPECT_EQ(choose_query(trace, {}).rows, (TokenSpan{0, 5}));
  EXPECT_THROW(choose_query(trace, {.row = "dog"}), Error);
}

}  // namespace
}  // namespace attnviz
