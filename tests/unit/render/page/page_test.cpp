// Whole pages and their data: order, escaping, limits, commands, and that threads change no byte.
#include "render/page/page.h"

#include <attnviz/error.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/command_text.h"
#include "render/page/assets.h"
#include "render/page/page_data.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const Trace& trace, const PictureOptions& picture = {}, ThreadPool* pool = nullptr) {
  std::string page;
  write_page(
      trace, picture,
      [&](std::string_view bytes) {
        page += bytes;
        return true;
      },
      pool);
  return page;
}

nlohmann::json data_of(const std::string& page) {
  const std::string start = "id=\"page\">";
  const std::size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

// `n_map` maps of `n_token` tokens with different weights.
Trace large_trace(std::size_t n_map, std::size_t n_token) {
  Trace trace = small_trace();
  trace.maps.clear();
  trace.queries.assign(n_token, make_token("word", TokenKind::kWord, 0));
  for (std::size_t i = 0; i < n_token; ++i) trace.queries[i].word = static_cast<std::int32_t>(i);
  trace.keys = trace.queries;
  for (std::size_t i = 0; i < n_map; ++i) {
    AttentionMap map{Site::kSelf, i, 2, n_token, n_token, {}};
    for (std::size_t cell = 0; cell < n_token * n_token; ++cell) {
      map.pattern.push_back(static_cast<float>((cell * 7919 + i) % 1009) / 50000);
    }
    trace.maps.push_back(std::move(map));
  }
  trace.maps[n_map / 2].pattern[3 * n_token + 5] = 0.5f;
  return trace;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Page, OpensOnTheStrongestLinkAndHasItBeforeTheScript) {
  const Trace trace = large_trace(6, 150);
  const std::string page = page_of(trace);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["first"], 3);
  EXPECT_EQ(data["maps"][3]["layer"], 3);
  EXPECT_EQ(data["maps"][3]["best"], nlohmann::json::parse("[3, 5, 0.5]"));
  EXPECT_FALSE(data["exact"]);
  const std::size_t script = page.find("<script>");
  EXPECT_LT(page.find("id=\"map-3\""), script);
  EXPECT_LT(page.find("id=\"thumbnails\""), script);
  EXPECT_GT(page.find("id=\"map-0\""), script);
  EXPECT_EQ(count_of(page, "id=\"map-"), 6u);
}

TEST(Page, BytesDoNotDependOnThreads) {
  const Trace trace = large_trace(9, 120);
  const std::string alone = page_of(trace);
  for (const std::size_t n : {1, 2, 5}) {
    ThreadPool pool(n);
    EXPECT_EQ(page_of(trace, {}, &pool), alone) << n;
  }
}

TEST(Page, NamesNoAddressAndRunsOnlyItsOwnScript) {
  const std::string page = page_of(small_trace());
  EXPECT_THAT(page, Not(HasSubstr("://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr(fmt::format("script-src '{}'", kPageScriptHash)));
  EXPECT_EQ(count_of(page, "<script>"), 1u);
  EXPECT_TRUE(page.ends_with("</body>\n</html>\n"));
}

TEST(Page, SmallPagesAreAlwaysExact) {
  EXPECT_TRUE(data_of(page_of(small_trace()))["exact"]);
  PictureOptions exact;
  exact.page.exact = true;
  EXPECT_TRUE(data_of(page_of(large_trace(5, 150), exact))["exact"]);
}

TEST(Page, WhatIsTooMuchForABrowserIsRefusedWithAWayOut) {
  EXPECT_NO_THROW(check_page_maps({512, 512, 72, true}));
  EXPECT_NO_THROW(check_page_maps({4096, 4096, 1, false}));
  for (const PageMaps& size : {PageMaps{1, 9000, 1, false}, PageMaps{4096, 4096, 5, false}, PageMaps{1024, 1024, 40, true}}) {
    try {
      check_page_maps(size);
      FAIL() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), HasSubstr("try pool"));
    }
  }
}

TEST(PageData, StringsCannotLeaveTheirElement) {
  Trace trace = small_trace();
  const std::string hostile = "</script><img src=x onerror=alert(1)><!-- & \xE2\x80\xA8 \xE2\x80\xA9 \" ' \\ \xE2\x80\xAE";
  trace.queries[1].text = hostile;
  trace.texts = {hostile};
  trace.model.name = hostile;
  trace.provenance.made_by = command_of({hostile});
  trace.notes = {hostile};
  const std::string page = page_of(trace);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(count_of(page, "<!--"), 0u);
  EXPECT_EQ(count_of(page, "</script>"), count_of(page, "<script"));
  EXPECT_THAT(page, Not(HasSubstr("\xE2\x80\xAE")));
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["made"], command_text(trace.provenance));
  EXPECT_THAT(data["queries"]["labels"][1].get<std::string>(), HasSubstr("</script><img"));
  EXPECT_THAT(data["texts"][0].get<std::string>(), HasSubstr("<U+202E>"));
}

TEST(PageData, NulAndBrokenBytesAreShownNotWritten) {
  Trace trace = small_trace();
  trace.queries[1].text = std::string("a\0b\xFF", 4);
  const std::string page = page_of(trace);
  EXPECT_EQ(page.find('\0'), std::string::npos);
  EXPECT_THAT(data_of(page)["queries"]["labels"][1].get<std::string>(), HasSubstr("<U+0000>"));
}

TEST(PageData, TokensStandInTheirSentence) {
  const nlohmann::json queries = data_of(page_of(small_trace()))["queries"];
  EXPECT_EQ(queries["labels"], nlohmann::json::parse(R"(["[CLS]", "un", "##happy", "cat", "[SEP]"])"));
  EXPECT_EQ(queries["pieces"], nlohmann::json::parse(R"(["[CLS]", "un", "happy", "cat", "[SEP]"])"));
  EXPECT_EQ(queries["gaps"], nlohmann::json::parse(R"(["", " ", "", " ", " "])"));
  EXPECT_EQ(queries["flags"], nlohmann::json::parse("[1, 0, 0, 0, 1]"));
  EXPECT_EQ(queries["words"], nlohmann::json::parse("[0, 1, 3, 4]"));
  EXPECT_EQ(queries["wordLabels"], nlohmann::json::parse(R"(["[CLS]", "unhappy", "cat", "[SEP]"])"));
}

TEST(PageData, KeysAreNamedOnceWhereTheyEqualTheQueries) {
  Trace trace = small_trace();
  EXPECT_TRUE(data_of(page_of(trace))["keys"].is_null());
  trace.keys[1].text = "other";
  EXPECT_EQ(data_of(page_of(trace))["keys"]["labels"][1], "other");
}

TEST(PageData, TheCommandIsThatOfTheTraceInWords) {
  Trace trace = small_trace();
  trace.provenance.redraw_by = command_of({"it's a cat", "--words"});
  trace.provenance.redraw_by.texts = {"-x"};
  const nlohmann::json command = data_of(page_of(trace))["command"];
  EXPECT_EQ(command["words"], nlohmann::json::parse(R"(["attnviz", "it's a cat", "--words"])"));
  EXPECT_EQ(command["texts"], nlohmann::json::parse(R"(["-x"])"));
}

}  // namespace
}  // namespace attnviz
