// See terminal_focus.h.
#include "render/terminal/terminal_focus.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "render/terminal/terminal_colour.h"
#include "render/terminal/terminal_links.h"
#include "render/terminal/terminal_text.h"
#include "trace/links.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostKeys = 12;
constexpr std::size_t kMostRows = 8;        // a word of more pieces is a rarity
constexpr std::size_t kContextBytes = 160;  // on each side, more than a line holds

bool is_boundary(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

// White space of any kind as one space: it is a line of prose.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) line += c;
    if (space && (line.empty() || line.back() != ' ')) line += ' ';
  }
  return line;
}

// The last `width` columns of a text, an ellipsis in front where something is left out, spaces where there is nothing.
std::string tail(const TerminalText& text, std::size_t width) {
  const std::vector<Glyph>& glyphs = text.glyphs();
  const bool whole = text.width() <= width;
  std::size_t taken = whole ? 0 : 1;
  std::size_t begin = glyphs.size();
  for (; begin > 0 && taken + glyphs[begin - 1].width <= width; --begin) taken += glyphs[begin - 1].width;
  std::string bytes(width - taken, ' ');
  if (!whole) bytes += "…";
  for (std::size_t i = begin; i < glyphs.size(); ++i) bytes += glyphs[i].bytes;
  return bytes;
}

// The text around the key, the key itself in bold, in `room` columns; nothing for a token that the text does not spell.
void put_context(const Trace& trace, const Token& key, std::size_t room, StyledLine* line) {
  const auto segment = static_cast<std::size_t>(key.segment);
  if (segment >= trace.texts.size() || key.begin >= key.end || key.end > trace.texts[segment].size() || room < 16) return;
  const std::string_view text = trace.texts[segment];
  std::size_t begin = key.begin - std::min(key.begin, kContextBytes);
  std::size_t end = std::min(key.end + kContextBytes, text.size());
  while (!is_boundary(text, begin)) ++begin;
  while (!is_boundary(text, end)) --end;
  const TerminalText before = TerminalText::prose(on_one_line(text.substr(begin, key.begin - begin)));
  const TerminalText word = TerminalText::prose(on_one_line(text.substr(key.begin, key.end - key.begin))).elided(room / 2);
  const TerminalText after = TerminalText::prose(on_one_line(text.substr(key.end, end - key.end)));
  const std::size_t room_before = room * 2 / 5;  // the same for every key, so that they are below each other
  line->put(tail(before, room_before), kDim).put(word.bytes(), kBold);
  line->put(after.elided(room - room_before - word.width()).bytes(), kDim);
}

std::string draw_row(const Trace& trace, const AttentionMap& map, std::size_t row, const TerminalOptions& options) {
  const std::vector<Link> links = strongest_of_row(map, row, kMostKeys);
  const std::vector<TerminalText> names = token_names(trace.keys);
  std::size_t name_width = 0;
  for (const Link& link : links) name_width = std::max(name_width, names[link.key_pos].width());
  name_width = std::min(name_width, options.columns / 4);

  StyledLine line(options.colour);
  line.put(token_names(trace.queries)[row].elided(options.columns - 10).bytes(), kBold)
      .put(links.front().weight != 0 ? " looks at" : " looks at nothing");
  std::string lines = line.end();
  if (links.front().weight == 0) return lines;
  for (const Link& link : links) {
    if (prints_as_nothing(link.weight, trace.value) && &link != &links.front()) break;
    line.put(fmt::format("{:6.{}f}  ", link.weight, trace.value.decimals))
        .put(left_aligned(names[link.key_pos].elided(name_width), name_width))
        .put("  ");
    put_context(trace, trace.keys[link.key_pos], options.columns - std::min(options.columns, name_width + 10), &line);
    lines += line.end();
  }
  return lines;
}

}  // namespace

std::string draw_focus(const Trace& trace, const AttentionMap& map, const TerminalOptions& options) {
  std::string text;
  for (std::size_t row = 0; row < std::min(map.n_query, kMostRows); ++row) {
    if (row > 0) text += "\n";
    text += draw_row(trace, map, row, options);
  }
  return text;
}

}  // namespace attnviz
