// JSON and CSV: exact bytes of a small document, escaping, round trips, streaming. tests/cli validates real output by the schema.
#include "render/export/text_exports.h"

#include <attnviz/error.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/command_text.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using Writer = void (*)(const Trace&, const ByteSink&);

std::string written(Writer write, const Trace& trace) {
  std::string all;
  write(trace, [&](std::string_view bytes) {
    all += bytes;
    return true;
  });
  return all;
}

Trace two_tokens() {
  Trace trace;
  trace.model = {"tiny", "bert", 2, 3};
  trace.texts = {"a \"b\""};
  trace.queries = {make_token("[CLS]", TokenKind::kSpecial, -1), make_token("a", TokenKind::kWord, 0, 0, 1)};
  trace.keys = trace.queries;
  trace.maps = {make_map(1, 2, {{0.1f, 0.9f}, {1.0f, 0.0f}})};
  trace.notes = {"cut"};
  trace.provenance.made_by = command_of({"a"});
  return trace;
}

Trace square_trace(std::size_t n) {
  Trace trace = two_tokens();
  trace.queries.assign(n, make_token("word", TokenKind::kWord, 0, 0, 1));
  trace.keys = trace.queries;
  trace.maps = {make_map(0, 0, std::vector(n, std::vector<float>(n, 0.123456f)))};
  return trace;
}

// The second half of a text, pooled two and two.
Trace tiles() {
  Trace trace = two_tokens();
  for (std::size_t i = 0; i < 2; ++i) trace.queries[i].position = trace.keys[i].position = 6 + 2 * i;
  for (Token& token : trace.queries) token.n_tokens = 2;
  trace.keys[0].n_tokens = 2;
  trace.pool = Pool{2, 3, PoolBy::kMean};
  return trace;
}

TEST(WriteJson, SaysWhatItsMapsStandFor) {
  Trace trace = two_tokens();
  trace.reduced = Reduction{ReduceBy::kMax, false, true, {1}, {0, 2}};
  const auto document = nlohmann::json::parse(written(write_json, trace));
  EXPECT_EQ(document["reduced"], nlohmann::json::parse(R"({"by": "max", "over": "heads", "layers": [1], "heads": [0, 2]})"));
  EXPECT_EQ(document["maps"][0]["layer"], 1);
  EXPECT_TRUE(document["maps"][0]["head"].is_null());
  EXPECT_NE(written(write_csv, trace).find("\n1,max,0,0,"), std::string::npos);
  trace.reduced->over_layers = true;
  EXPECT_EQ(nlohmann::json::parse(written(write_json, trace))["reduced"]["over"], "all");
}

TEST(WriteJson, SaysWhichTokensATileStandsFor) {
  const auto document = nlohmann::json::parse(written(write_json, tiles()));
  EXPECT_EQ(document["pool"], nlohmann::json::parse(R"({"rows": 2, "columns": 3, "by": "mean"})"));
  EXPECT_EQ(document["queries"][1]["position"], 8);
  EXPECT_EQ(document["queries"][1]["tokens"], 2);
  EXPECT_EQ(document["keys"][1]["tokens"], 1);
  const auto whole = nlohmann::json::parse(written(write_json, two_tokens()));
  EXPECT_FALSE(whole.contains("pool"));
  EXPECT_FALSE(whole["queries"][0].contains("position"));
}

TEST(WriteCsv, CountsTokensOfTheWholeText) {
  const std::string lines = written(write_csv, tiles());
  EXPECT_NE(lines.find("\n1,2,6,8,"), std::string::npos) << lines;
  EXPECT_NE(lines.find("\n1,2,8,6,"), std::string::npos) << lines;
}

TEST(WriteJson, WritesTheDocumentedShape) {
  const std::string tokens =
      "[\n"
      R"({"id": 7, "text": "[CLS]", "begin": 0, "end": 0, "kind": "special", "word": null, "segment": 0},)"
      "\n"
      R"({"id": 7, "text": "a", "begin": 0, "end": 1, "kind": "word", "word": 0, "segment": 0}])";
  EXPECT_EQ(written(write_json, two_tokens()),
            "{\"schema\": \"attnviz.attention/1\",\n"
            "\"model\": {\"name\": \"tiny\", \"family\": \"bert\", \"layers\": 2, \"heads\": 3},\n"
            "\"texts\": [\"a \\\"b\\\"\"],\n"
            "\"queries\": " +
                tokens + ",\n\"keys\": " + tokens +
                ",\n\"maps\": [\n{\"kind\": \"self\", \"layer\": 1, \"head\": 2, \"weights\": [\n"
                "[0.1,0.9],\n[1,0]]}],\n\"notes\": [\"cut\"],\n\"command\": \"attnviz a\"}\n");
}

TEST(WriteJson, EveryFloatReadsBackAsItself) {
  std::mt19937 random(1);
  Trace trace = two_tokens();
  std::vector<float> row = {0.0f,  1.0f,     std::numeric_limits<float>::min(), std::numeric_limits<float>::denorm_min(),
                            1e-5f, 0x1p-126f};
  while (row.size() < 20000) {
    const std::uint32_t bits = random() % 0x3F800000u;  // every pattern below 1.0
    float value;
    std::memcpy(&value, &bits, sizeof value);
    row.push_back(value);
  }
  trace.queries.resize(1);
  trace.keys.resize(row.size());
  trace.maps = {make_map(0, 0, {row})};
  const auto document = nlohmann::json::parse(written(write_json, trace));
  const auto& weights = document["maps"][0]["weights"][0];
  ASSERT_EQ(weights.size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(weights[i].get<float>(), row[i]) << i;
}

TEST(WriteJson, KeepsAnyTextAndStaysSafeInsideHtml) {
  const std::vector<std::string> texts = {"</script><!-- <b>",          "\u2028\u2029",       "\x01\x1B\x7F\n\t", "\\ \"",
                                          "שלום 日本 🙂\u202E", std::string("\0x", 2)};
  for (const std::string& text : texts) {
    Trace trace = two_tokens();
    trace.texts = {text};
    trace.queries[1].text = trace.notes[0] = trace.provenance.source = trace.model.name = text;
    trace.provenance.made_by = command_of({text});
    const std::string json = written(write_json, trace);
    const auto document = nlohmann::json::parse(json);
    EXPECT_EQ(document["texts"][0], text);
    EXPECT_EQ(document["queries"][1]["text"], text);
    EXPECT_EQ(document["command"], command_text(trace.provenance));
    EXPECT_EQ(document["source_command"], text);
    for (const char* unsafe : {"</", "<!--", "\u2028", "\u2029", "\x1B"}) EXPECT_EQ(json.find(unsafe), std::string::npos);
  }
}

TEST(WriteJson, WritesAPairWithQueriesAndKeysOfItsOwn) {
  Trace trace = two_tokens();
  trace.texts.push_back("zwei");
  trace.keys.push_back({9, "zwei", 0, 4, TokenKind::kUnknown, 1, 1});
  trace.maps = {make_map(0, 0, {{0, 0.5f, 0.5f}, {0, 0, 1}}), make_map(0, 1, {{1, 0, 0}, {0, 1, 0}})};
  const auto document = nlohmann::json::parse(written(write_json, trace));
  EXPECT_EQ(document["keys"].size(), 3u);
  EXPECT_EQ(document["keys"][2]["segment"], 1);
  EXPECT_EQ(document["keys"][2]["kind"], "unknown");
  EXPECT_EQ(document["maps"][1]["weights"][1], (std::vector<float>{0, 1, 0}));
}

TEST(WriteJson, StreamsInChunksAndStopsWhenTheReaderIsGone) {
  Trace trace = square_trace(100);
  trace.maps.assign(50, trace.maps[0]);
  std::size_t largest = 0;
  std::size_t n_calls = 0;
  write_json(trace, [&](std::string_view bytes) {
    largest = std::max(largest, bytes.size());
    ++n_calls;
    return true;
  });
  EXPECT_GT(n_calls, 60u);
  EXPECT_LT(largest, 70000u);
  std::size_t n_calls_closed = 0;
  write_json(trace, [&](std::string_view) { return ++n_calls_closed < 3; });
  EXPECT_EQ(n_calls_closed, 3u);
}

TEST(TextExports, RefuseWhatIsNotANumber) {
  Trace trace = two_tokens();
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    trace.maps[0].pattern[1] = bad;
    EXPECT_THROW(written(write_json, trace), Error);
    EXPECT_THROW(written(write_csv, trace), Error);
  }
}

TEST(TextExports, RefuseAMapThatDoesNotFitItsTokens) {
  Trace trace = two_tokens();
  trace.keys.pop_back();
  EXPECT_THROW(written(write_json, trace), Error);
  EXPECT_THROW(written(write_csv, trace), Error);
}

TEST(WriteCsv, WritesOneLineACell) {
  EXPECT_EQ(written(write_csv, two_tokens()),
            "layer,head,query,key,query_text,key_text,weight\n"
            "1,2,0,0,[CLS],[CLS],0.1\n"
            "1,2,0,1,[CLS],a,0.9\n"
            "1,2,1,0,a,[CLS],1\n"
            "1,2,1,1,a,a,0\n");
}

TEST(WriteCsv, QuotesWhatNeedsIt) {
  Trace trace = two_tokens();
  trace.queries[0].text = "say \"x\", y\n";
  trace.queries[1].text = "";
  trace.keys[0].text = " ";
  trace.keys[1].text = "plain'";
  EXPECT_EQ(written(write_csv, trace),
            "layer,head,query,key,query_text,key_text,weight\n"
            "1,2,0,0,\"say \"\"x\"\", y\n\",\" \",0.1\n"
            "1,2,0,1,\"say \"\"x\"\", y\n\",plain',0.9\n"
            "1,2,1,0,\"\",\" \",1\n"
            "1,2,1,1,\"\",plain',0\n");
}

TEST(WriteCsv, StopsWhenTheReaderIsGone) {
  Trace trace = square_trace(50);
  trace.maps.assign(200, trace.maps[0]);
  std::size_t n_calls = 0;
  write_csv(trace, [&](std::string_view) { return ++n_calls < 2; });
  EXPECT_EQ(n_calls, 2u);
}

}  // namespace
}  // namespace attnviz
