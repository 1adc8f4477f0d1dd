// The terminal view: exact text of small cases, and what must hold for any token text and any width.
#include "render/terminal/terminal.h"

#include <random>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "figure/colour_map.h"
#include "render/terminal/terminal_text.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TerminalOptions plain(std::size_t columns = 80) { return {ColourDepth::kNone, columns, {}}; }

std::string without_sgr(const std::string& text) {
  static const std::regex kSgr("\x1B\\[[0-9;]*m");
  return std::regex_replace(text, kSgr, "");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_dangerous(char32_t c) {
  const bool control = (c < 0x20 && c != U'\n') || (c >= 0x7F && c < 0xA0);
  return control || c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Nothing but lines of visible text within `columns`, and every line ends without attributes.
void expect_harmless(const std::string& text, std::size_t columns) {
  ASSERT_TRUE(text.empty() || text.back() == '\n');
  for (const std::string& line : lines_of(text)) {
    const std::size_t last_escape = line.rfind("\x1B[");
    EXPECT_TRUE(last_escape == std::string::npos || line.substr(last_escape, 4) == "\x1B[0m") << line;
    const std::string bare = without_sgr(line);
    for (std::size_t at = 0; at < bare.size();) {
      const Utf8Char c = decode_utf8(bare, at);
      ASSERT_GT(c.length, 0u);
      EXPECT_FALSE(is_dangerous(c.code_point)) << code_point_name(c.code_point);
      at += c.length;
    }
    EXPECT_LE(TerminalText::prose(bare).width(), columns) << bare;
  }
}

Trace random_trace(std::size_t n, std::size_t n_maps, std::mt19937* random) {
  static const std::vector<char32_t> kNasty = {
      0x1B,   0x9B, 0x07, 0x0D, 0x0A,  0x09,  0x00,  0x7F, 0x202E,  0x2066,  0x200F,  0x61C,  0x200D, 0x200B, 0x301, 0xFE0F, 0x3000,
      0x6771, U'a', U'[', U' ', 0x5D0, 0x93F, 0x94D, 0xE9, 0x1F468, 0x1F3FD, 0xE0041, 0x1160, 0x2028, 0xFEFF, U'm',  0x115F};
  Trace trace = small_trace();
  trace.queries.clear();
  for (std::size_t i = 0; i < n; ++i) {
    std::string text;
    for (std::size_t k = (*random)() % 14; k > 0; --k) append_utf8(&text, kNasty[(*random)() % kNasty.size()]);
    trace.queries.push_back(make_token(text, static_cast<TokenKind>((*random)() % 4), 0));
  }
  trace.keys = trace.queries;
  trace.maps.clear();
  for (std::size_t m = 0; m < n_maps; ++m) {
    AttentionMap map{Site::kSelf, m / 3, m % 3, n, n, WeightArray(n * n, 0.0F)};
    for (float& weight : map.pattern) weight = static_cast<float>((*random)() % 1001) / 1000.0f;
    trace.maps.push_back(map);
  }
  trace.model.name = trace.queries[0].text;
  trace.notes = {"a note", trace.queries[n / 2].text};
  return trace;
}

TEST(Terminal, DrawsDigitsAndEveryRowsLinksWithoutColour) {
  Trace trace = small_trace();
  trace.notes = {"cut to 5 tokens"};
  EXPECT_EQ(render_terminal(trace, plain()),
            "minilm-l6  layer 3  head 1   rows attend to columns\n"
            "cut to 5 tokens\n"
            "\n"
            "            #\n"
            "            #\n"
            "        [   h   [\n"
            "        C   a   S\n"
            "        L   p c E\n"
            "        S u p a P\n"
            "        ] n y t ]\n"
            "  [CLS] 5 1 1 1 1\n"
            "     un 2 2 2 1 1\n"
            "##happy . . 2 7 .\n"
            "    cat . 5 1 2 1\n"
            "  [SEP] . . . . 9\n"
            "attention weight in tenths of 1 (dot: hardly any)\n"
            "\n"
            "  [CLS] -> [CLS] 0.50  un 0.12  ##happy 0.12  cat 0.12\n"
            "     un -> [CLS] 0.25  un 0.25  ##happy 0.25  cat 0.12\n"
            "##happy -> cat 0.75  ##happy 0.25\n"
            "    cat -> un 0.50  cat 0.25  ##happy 0.12  [SEP] 0.12\n"
            "  [SEP] -> [SEP] 1.00\n");
}

TEST(Terminal, QuestionsACellThatIsNoWeight) {
  Trace trace = small_trace();
  trace.maps[0].pattern[5] = std::numeric_limits<float>::quiet_NaN();
  const std::string text = render_terminal(trace, plain());
  EXPECT_THAT(text, HasSubstr("     un ??2 2 1 1\n"));
  EXPECT_THAT(text, HasSubstr("     un -> un 0.25  ##happy 0.25  cat 0.12  [SEP] 0.12\n"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  TerminalOptions by_row = plain();
  by_row.style.scale = Scale::kRow;
  EXPECT_THAT(render_terminal(trace, by_row), HasSubstr("     un ??9 9 5 5\n"));
}

TEST(Terminal, DrawsColouredCellsAndTheTellingRows) {
  const std::string text = render_terminal(small_trace(), {ColourDepth::k24Bit, 80, {}});
  EXPECT_THAT(text, HasSubstr("\x1B[2m  [CLS]\x1B[0m \x1B[38;2;"));
  const std::vector<std::string> lines = lines_of(without_sgr(text));
  EXPECT_EQ(lines[lines.size() - 3], "");
  EXPECT_EQ(lines[lines.size() - 2], "##happy -> cat 0.75  ##happy 0.25");
  EXPECT_EQ(lines.back(), "    cat -> un 0.50  cat 0.25  ##happy 0.12  [SEP] 0.12");
  EXPECT_THAT(lines[lines.size() - 4], StartsWith("0            1  attention weight"));
}

TEST(Terminal, PutsOneCellOnTheRightColumn) {
  Trace trace = small_trace();
  trace.maps = {make_map(0, 0, std::vector(5, std::vector<float>{0, 0, 0, 1, 0}))};
  for (const ColourDepth depth : {ColourDepth::k24Bit, ColourDepth::k256}) {
    const std::string text = render_terminal(trace, {depth, 80, {}});
    const std::string row = lines_of(text)[12];
    ASSERT_THAT(row, HasSubstr("cat"));
    const std::regex cells("    cat (\x1B\\[[0-9;]*m)      (\x1B\\[[0-9;]*m)  (\x1B\\[[0-9;]*m)  \x1B\\[0m");
    EXPECT_TRUE(std::regex_match(row, cells)) << row;
  }
}

TEST(Terminal, ScalesAsFiguresDo) {
  TerminalOptions options = plain();
  options.style.scale = Scale::kRow;
  const std::string by_row = render_terminal(small_trace(), options);
  EXPECT_THAT(by_row, HasSubstr("    cat . 9 2 5 2\n"));
  EXPECT_THAT(by_row, HasSubstr("tenths of the row's maximum"));
  options.style = {};
  options.style.vmax = 0.25f;
  EXPECT_THAT(render_terminal(small_trace(), options), HasSubstr("    cat . 9 5 9 5\n"));
  EXPECT_THAT(render_terminal(small_trace(), options), HasSubstr("% are more (up to 1)"));
}

TEST(Terminal, WritesNumbersIntoColouredCells) {
  TerminalOptions options{ColourDepth::k24Bit, 80, {}};
  options.style.values = true;
  EXPECT_THAT(without_sgr(render_terminal(small_trace(), options)), HasSubstr("    cat   50122512\n"));
}

TEST(Terminal, CutsLongLabels) {
  Trace trace = small_trace();
  trace.queries[1].text = trace.keys[1].text = "Donaudampfschifffahrtsgesellschaft";
  const std::string text = render_terminal(trace, plain());
  EXPECT_THAT(text, HasSubstr("Donaudampfschifffah… 2 2"));
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_THAT(lines[2], HasSubstr("D"));
  EXPECT_THAT(lines[11], HasSubstr("⋮"));
  EXPECT_THAT(lines[12], HasSubstr("[CLS]"));
}

TEST(Terminal, SaysSoWhenARowAttendsToNothing) {
  Trace trace = small_trace();
  for (std::size_t key = 0; key < 5; ++key) trace.maps[0].pattern[15 + key] = 0;
  EXPECT_THAT(render_terminal(trace, plain()), HasSubstr("    cat -> nothing\n"));
}

TEST(Terminal, NamesTokensThatRepeat) {
  Trace trace = small_trace();
  trace.queries[3].text = trace.keys[3].text = "un";
  EXPECT_THAT(render_terminal(trace, plain()), HasSubstr("   un#2 -> un 0.50  un#2 0.25"));
}

Trace square_trace(std::size_t n) {
  Trace trace = small_trace();
  trace.queries.assign(n, make_token("ab", TokenKind::kWord, 0));
  trace.keys = trace.queries;
  trace.maps = {make_map(0, 0, std::vector(n, std::vector<float>(n, 1.0f / static_cast<float>(n))))};
  return trace;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Terminal, SplitsIntoBlocksAndFallsBackToLinks) {
  const std::string one = render_terminal(square_trace(38), plain());
  EXPECT_EQ(count_of(one, " a a a"), 36u);  // a single line of column labels
  const std::string three = render_terminal(square_trace(100), plain());
  EXPECT_EQ(lines_of(three).size(), 2u + 3 * 102 + 2 + 2 + 100);
  expect_harmless(three, 80);
  const std::string links = render_terminal(square_trace(130), plain());
  EXPECT_THAT(links, HasSubstr("130 tokens do not fit 80 columns; the strongest links of every row:\n"));
  EXPECT_EQ(count_of(links, " -> "), 130u);
}

TEST(Terminal, FitsTwentyFourLongTokensInto80Columns) {
  Trace trace = square_trace(24);
  trace.queries[3].text = trace.keys[3].text = std::string(60, 'x');
  const std::string text = render_terminal(trace, plain());
  EXPECT_EQ(lines_of(text).size(), 2u + 10 + 24 + 2 + 24);
  expect_harmless(text, 80);
}

TEST(Terminal, OverviewsSeveralHeads) {
  Trace trace = small_trace();
  AttentionMap weak = trace.maps[0];
  weak.head = 0;
  for (float& weight : weak.pattern) weight *= 0.5f;
  trace.maps = {weak, trace.maps[0]};
  EXPECT_EQ(render_terminal(trace, plain()),
            "minilm-l6  2 heads   strongest link of each head\n"
            "from one word to another; special tokens and self-links do not count\n"
            "\n"
            "        H H\n"
            "        0 1\n"
            "layer 3 5 9\n"
            "attention weight in tenths of 0.75 (dot: hardly any)\n"
            "\n"
            "layer head    query -> key  weight\n"
            "    3    1  ##happy -> cat    0.75\n"
            "    3    0  ##happy -> cat    0.38\n");
}

TEST(Terminal, SaysSoWhenThereAreNoLinks) {
  Trace trace = small_trace();
  for (Token& token : trace.queries) token.kind = TokenKind::kSpecial;
  trace.keys = trace.queries;
  trace.maps.push_back(trace.maps[0]);
  EXPECT_THAT(render_terminal(trace, plain()), HasSubstr("no head links one word to another here"));
  trace.maps.clear();
  EXPECT_EQ(render_terminal(trace, plain()), "minilm-l6  no maps\n");
}

Trace signed_trace() {
  Trace trace = small_trace();
  trace.value = {.name = "change", .is_signed = true};
  for (std::size_t i = 0; i < trace.maps[0].pattern.size(); i += 2) trace.maps[0].pattern[i] *= -1;
  return trace;
}

TEST(Terminal, SignedValuesShowTheirSignInDigitsColoursAndLists) {
  const Trace trace = signed_trace();
  const std::string digits = render_terminal(trace, plain());
  EXPECT_THAT(digits, HasSubstr("change in tenths of "));
  EXPECT_THAT(digits, ::testing::ContainsRegex(" -[0-9]"));
  EXPECT_THAT(digits, ::testing::ContainsRegex(" [+][0-9]"));
  EXPECT_THAT(digits, ::testing::ContainsRegex(" -0[.][0-9][0-9]"));

  TerminalOptions options{ColourDepth::k24Bit, 80, {}};
  const std::string colours = render_terminal(trace, options);
  EXPECT_THAT(without_sgr(colours), ::testing::ContainsRegex("−([0-9.]+) {13}[0-9.]+  change"));
  const DivergingMap& map = diverging_map(false);
  for (const Rgb colour : {map.at(-1), map.at(1)}) {
    EXPECT_THAT(colours, HasSubstr(fmt::format("48;2;{};{};{}", colour.r, colour.g, colour.b)));
  }
  expect_harmless(colours, 80);
}

TEST(Terminal, SignedOverviewRanksHeadsByMagnitude) {
  Trace trace = signed_trace();
  trace.maps.push_back(trace.maps[0]);
  trace.maps[1].head = 2;
  for (float& value : trace.maps[1].pattern) value *= 0.5F;
  const std::string text = render_terminal(trace, plain());
  EXPECT_THAT(text, HasSubstr("change in tenths of"));
  EXPECT_THAT(text, HasSubstr("  change\n"));
}

TEST(Terminal, IsHarmlessAndFitsWhateverTheTokensAre) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const Trace trace = random_trace(1 + random() % 40, 1 + random() % 5, &random);
    for (const std::size_t columns : {40u, 61u, 80u, 200u}) {
      for (const ColourDepth depth : {ColourDepth::kNone, ColourDepth::k256, ColourDepth::k24Bit}) {
        TerminalOptions options{depth, columns, {}};
        options.style.values = round % 2 == 0;
        const std::string text = render_terminal(trace, options);
        expect_harmless(text, columns);
        EXPECT_EQ(text.find("\x1B") != std::string::npos, depth != ColourDepth::kNone);
      }
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace attnviz
