// Titles, subtitles and labels that make_figure takes from a trace.
#include "figure/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/reduce.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

Trace trace_of(const std::vector<std::pair<std::size_t, std::size_t>>& layers_and_heads) {
  Trace trace;
  trace.model = {"minilm-l6", "bert", 6, 12};
  trace.texts = {"a b"};
  trace.queries.resize(2);
  trace.queries[0].text = "[CLS]";
  trace.queries[0].kind = TokenKind::kSpecial;
  trace.queries[1].text = "b";
  trace.keys = trace.queries;
  trace.provenance.made_by = command_of({"a b"});
  for (const auto& [layer, head] : layers_and_heads)
    trace.maps.push_back({Site::kSelf, layer, head, 2, 2, {0.25F, 0.75F, 0.5F, 0.5F}});
  return trace;
}

TEST(MakeFigure, OneMap) {
  const Figure figure = make_figure(trace_of({{3, 1}}));
  EXPECT_EQ(figure.title, "Layer 3, head 1");
  EXPECT_THAT(figure.subtitle, testing::StartsWith("minilm-l6"));
  EXPECT_THAT(figure.subtitle, testing::HasSubstr("self-attention"));
  EXPECT_EQ(figure.command, "attnviz \"a b\"");
  ASSERT_EQ(figure.row_labels.size(), 2U);
  EXPECT_TRUE(figure.row_labels[0].special);
  EXPECT_EQ(figure.column_labels[1].text, "b");
  ASSERT_EQ(figure.panels.size(), 1U);
  EXPECT_THAT(figure.panels[0].values, testing::ElementsAre(0.25F, 0.75F, 0.5F, 0.5F));
}

TEST(MakeFigure, TitlesOfGridsUseRanges) {
  EXPECT_EQ(make_figure(trace_of({{0, 0}, {1, 0}, {2, 0}, {5, 0}})).title, "Layers 0–2, 5; head 0");
  EXPECT_EQ(make_figure(trace_of({{3, 1}, {3, 2}, {3, 5}})).title, "Layer 3; heads 1, 2, 5");
}

TEST(MakeFigure, GridsShowTheTextAndNotesAreAlwaysShown) {
  Trace trace = trace_of({{0, 0}, {0, 1}});
  trace.texts = {"say\t\u202Eit", std::string(500, 'x')};
  trace.notes = {"pieces merged into words"};
  const Figure figure = make_figure(trace);
  EXPECT_THAT(figure.subtitle, testing::HasSubstr("pieces merged into words"));
  EXPECT_THAT(figure.subtitle, testing::HasSubstr("“say"));
  EXPECT_THAT(figure.subtitle, testing::Not(testing::HasSubstr("\u202E")));
  EXPECT_LT(figure.subtitle.size(), 400U);
}

TEST(MakeFigure, NamesTilesByWhereTheyBegin) {
  Trace trace = small_trace();
  for (std::size_t i = 0; i < 5; ++i) {
    trace.queries[i].position = 16 * i;
    trace.queries[i].n_tokens = 16;
    trace.keys[i].position = i;
  }
  trace.pool = Pool{16, 1, PoolBy::kMax};
  trace.focus = "cat";
  const Figure figure = make_figure(trace);
  EXPECT_EQ(figure.row_labels[3].text, "@48 cat");
  EXPECT_EQ(figure.column_labels[3].text, "cat");
  EXPECT_EQ(figure.title, "Layer 3, head 1: where “cat” looks");
}

// "##happy" is "happy" in a sentence, without a gap; texts of a pair, and lines, begin new lines; a part has its holes marked.
TEST(MakeFigure, LabelsKnowWhatStandsBetweenThem) {
  Trace trace = small_trace();
  trace.texts = {"unhappy\ncat", "x"};
  trace.keys.push_back(make_token("x", TokenKind::kWord, 2, 0, 1));
  trace.keys.back().segment = 1;
  trace.maps.clear();
  const auto labels = [&] { return make_figure(trace, {}).column_labels; };
  const auto gaps = [&] {
    std::vector<std::string> found;
    for (const AxisLabel& label : labels()) found.push_back(label.gap);
    return found;
  };
  EXPECT_THAT(gaps(), testing::ElementsAre("", " ", "", "\n", " ", "\n"));
  EXPECT_EQ(labels()[2].text, "##happy");
  EXPECT_EQ(labels()[2].in_text, "happy");
  EXPECT_EQ(labels()[0].in_text, "[CLS]");
  for (std::size_t i = 0; i < trace.keys.size(); ++i) trace.keys[i].position = i < 3 ? i : i + 7;
  EXPECT_EQ(gaps()[3], " … ");
}

// A byte-level token keeps the space before its word; a sentence has it once.
TEST(MakeFigure, SpacesOfAVocabularyStandBetweenWords) {
  Trace trace = small_trace();
  trace.texts = {"a cat"};
  trace.keys = {make_token("a", TokenKind::kWord, 0, 0, 1), make_token(" cat", TokenKind::kWord, 1, 2, 5)};
  trace.maps.clear();
  const Figure figure = make_figure(trace, {});
  EXPECT_EQ(figure.column_labels[1].text, "␣cat");
  EXPECT_EQ(figure.column_labels[1].in_text, "cat");
  EXPECT_EQ(figure.column_labels[1].gap, " ");
  trace.texts.clear();  // words that somebody listed without a text
  EXPECT_EQ(make_figure(trace, {}).column_labels[1].gap, " ");
  trace.keys[1].kind = TokenKind::kContinuation;
  EXPECT_EQ(make_figure(trace, {}).column_labels[1].gap, "");
}

// Two layers x two heads of 2 x 2.
Trace four_maps() {
  Trace trace = small_trace();
  trace.queries.resize(2);
  trace.keys.resize(2);
  trace.maps = {make_map(1, 0, {{0.5F, 0.5F}, {1, 0}}), make_map(1, 3, {{0.25F, 0.75F}, {0.5F, 0.5F}}),
                make_map(4, 0, {{0, 1}, {0.75F, 0.25F}}), make_map(4, 3, {{1, 0}, {0.125F, 0.875F}})};
  trace.notes = {"before"};
  return trace;
}

TEST(MakeFigure, TitlesNameWhatWasReduced) {
  const auto title = [](ReduceBy by, ReduceOver over) { return make_figure(reduce_maps(four_maps(), by, over)).title; };
  EXPECT_EQ(title(ReduceBy::kMean, ReduceOver::kHeads), "Layers 1, 4; mean of heads 0, 3");
  EXPECT_EQ(title(ReduceBy::kMax, ReduceOver::kLayers), "Heads 0, 3; maximum of layers 1, 4");
  EXPECT_EQ(title(ReduceBy::kMean, ReduceOver::kAll), "Mean of layers 1, 4, heads 0, 3");
  Trace one_layer = four_maps();
  one_layer.maps.resize(2);
  const Figure figure = make_figure(reduce_maps(one_layer, ReduceBy::kMean, ReduceOver::kHeads));
  EXPECT_EQ(figure.title, "Layer 1, mean of heads 0, 3");
  EXPECT_EQ(figure.head_name, "mean");
  EXPECT_EQ(figure.layer_name, "");
}

}  // namespace
}  // namespace attnviz
