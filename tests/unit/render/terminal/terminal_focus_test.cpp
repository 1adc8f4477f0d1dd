// Where a word looks, as lines: order, context, width, and that nothing of the text does harm.
#include "render/terminal/terminal_focus.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/terminal/terminal_text.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// One row over the words of a text that has `n` of them.
Trace focus_trace(std::size_t n, const std::string& separator) {
  Trace trace;
  trace.focus = "w3";
  trace.texts = {""};
  std::vector<float> row;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) trace.texts[0] += separator;
    Token token = make_token("w" + std::to_string(i), TokenKind::kWord, static_cast<std::int32_t>(i), trace.texts[0].size());
    trace.texts[0] += token.text;
    token.end = trace.texts[0].size();
    token.position = i;
    trace.keys.push_back(token);
    row.push_back(0.001F);
  }
  row[n / 2] = 0.5F;
  row[0] = 0.25F;
  trace.queries = {trace.keys[3]};
  trace.maps = {make_map(2, 5, {row})};
  return trace;
}

TEST(DrawFocus, ListsTheStrongestKeysInTheirContext) {
  const Trace trace = focus_trace(400, " ");
  const auto lines = lines_of(draw_focus(trace, trace.maps[0], {ColourDepth::kNone, 80, {}}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "@3 w3 looks at");
  EXPECT_THAT(lines[1], StartsWith("  0.50  @200 w200  "));
  EXPECT_THAT(lines[1], HasSubstr("w199 w200 w201"));
  EXPECT_THAT(lines[2], StartsWith("  0.25  @0 w0      "));
  EXPECT_THAT(lines[2], HasSubstr(" w0 w1 w2"));
  const auto columns_before = [](const std::string& line, const char* key) {
    return TerminalText::prose(line.substr(0, line.find(key))).width();
  };
  EXPECT_EQ(columns_before(lines[1], "w200 w201"), columns_before(lines[2], "w0 w1")) << "keys stand below each other";
}

TEST(DrawFocus, FitsEveryWidth) {
  const Trace trace = focus_trace(400, " ");
  for (std::size_t columns = 40; columns < 200; ++columns) {
    for (const std::string& line : lines_of(draw_focus(trace, trace.maps[0], {ColourDepth::kNone, columns, {}}))) {
      EXPECT_LE(TerminalText::prose(line).width(), columns) << line;
    }
  }
}

TEST(DrawFocus, TheTextsControlsDoNotReachTheTerminal) {
  const Trace trace = focus_trace(60, "\x1b[31m\r\n\t\xE2\x80\xAE");
  const std::string text = draw_focus(trace, trace.maps[0], {ColourDepth::kNone, 120, {}});
  for (const char* bad : {"\x1b", "\r", "\t", "\xE2\x80\xAE"}) EXPECT_THAT(text, Not(HasSubstr(bad)));
  EXPECT_EQ(lines_of(text).size(), 3U) << "a line break of the text makes no line here";
}

TEST(DrawFocus, CutsContextBetweenCharacters) {
  const Trace trace = focus_trace(300, "\xE6\x9D\xB1\xE4\xBA\xAC");
  for (std::size_t columns = 40; columns < 100; ++columns) {
    EXPECT_THAT(draw_focus(trace, trace.maps[0], {ColourDepth::kNone, columns, {}}), Not(HasSubstr("\xEF\xBF\xBD")));
  }
}

TEST(DrawFocus, ARowThatLooksNowhereSaysSo) {
  Trace trace = focus_trace(10, " ");
  trace.maps[0].pattern.assign(10, 0.0F);
  EXPECT_THAT(draw_focus(trace, trace.maps[0], {ColourDepth::kNone, 80, {}}), HasSubstr("nothing"));
}

}  // namespace
}  // namespace attnviz
