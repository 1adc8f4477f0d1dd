// See label.h. What counts as invisible is a table of our own: Unicode's default-ignorable code points, its spaces, controls,
// private use and non-characters (Unicode 15, DerivedCoreProperties and PropList), because figure uses no Unicode library.
#include "trace/label.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace attnviz {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool in_ranges(const std::array<Range, N>& ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c, [](char32_t value, Range r) { return value < r.first; });
  return after != ranges.begin() && c <= (after - 1)->last;
}

// Sorted. These show nothing by themselves, or (private use) nothing that is defined.
constexpr std::array kInvisible = {
    Range{0x0000, 0x001F}, Range{0x007F, 0x00A0},   Range{0x00AD, 0x00AD},   Range{0x034F, 0x034F},    Range{0x061C, 0x061C},
    Range{0x115F, 0x1160}, Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},   Range{0x2000, 0x200F},    Range{0x2028, 0x202F},
    Range{0x205F, 0x206F}, Range{0x2800, 0x2800},   Range{0x3000, 0x3000},   Range{0x3164, 0x3164},    Range{0xE000, 0xF8FF},
    Range{0xFDD0, 0xFDEF}, Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},    Range{0xFFF0, 0xFFFB},
    Range{0xFFFE, 0xFFFF}, Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A}, Range{0xE0000, 0x10FFFF},
};

// Marks that draw on the letter before them (general combining blocks).
constexpr std::array kCombining = {
    Range{0x0300, 0x034E}, Range{0x0350, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
    Range{0x064B, 0x065F}, Range{0x1AB0, 0x1ACE}, Range{0x1DC0, 0x1DFF}, Range{0x20D0, 0x20F0},
    Range{0x302A, 0x302D}, Range{0x3099, 0x309A}, Range{0xFE20, 0xFE2F},
};

bool is_invisible(char32_t c) {
  const bool non_character = (c & 0xFFFE) == 0xFFFE;
  return non_character || in_ranges(kInvisible, c);
}

bool is_joiner(char32_t c) { return c == 0x200C || c == 0x200D; }

// Scripts in which joiners change the shape of their neighbours begin at Hebrew; emoji come much later.
bool may_join(char32_t c) { return c >= 0x0590 && !is_invisible(c); }

bool is_selector_of(char32_t selector, char32_t base) {
  if (selector >= 0xFE00 && selector <= 0xFE0F) return base > U' ' && !is_invisible(base);
  if ((selector >= 0x180B && selector <= 0x180D) || selector == 0x180F) return base >= 0x1820 && base <= 0x18AA;
  const bool ideograph = (base >= 0x3400 && base <= 0x9FFF) || (base >= 0x20000 && base <= 0x3FFFF);
  return selector >= 0xE0100 && selector <= 0xE01EF && ideograph;
}

// U+E0020..E007F spell a region after the black flag (England, Scotland, Wales); anywhere else they hide text.
bool is_flag_tag(char32_t c) { return c >= 0xE0020 && c <= 0xE007F; }

std::vector<char32_t> code_points_of(std::string_view text) {
  std::vector<char32_t> code_points;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Char character = decode_utf8(text, position);
    code_points.push_back(character.length == 0 ? char32_t{0xFFFD} : character.code_point);
    position += std::max<std::size_t>(character.length, 1);
  }
  return code_points;
}

// Whether the invisible character at `i` changes how the visible ones around it look.
bool shapes_neighbours(const std::vector<char32_t>& text, std::size_t i) {
  if (i == 0) return false;
  const char32_t c = text[i];
  if (is_selector_of(c, text[i - 1])) return true;
  if (is_flag_tag(c)) {
    std::size_t start = i;
    while (start > 0 && is_flag_tag(text[start])) --start;
    return text[start] == 0x1F3F4;
  }
  if (!is_joiner(c) || i + 1 == text.size() || !may_join(text[i + 1])) return false;
  const bool after_selector = i >= 2 && is_selector_of(text[i - 1], text[i - 2]);  // the rainbow flag: flag, selector, joiner
  return after_selector || may_join(text[i - 1]);
}

}  // namespace

std::string visible_text(std::string_view text) {
  const std::vector<char32_t> code_points = code_points_of(text);
  std::string visible;
  for (std::size_t i = 0; i < code_points.size(); ++i) {
    const char32_t c = code_points[i];
    if (c == U' ') {
      append_utf8(&visible, 0x2423);
    } else if (c == U'\n') {
      append_utf8(&visible, 0x21B5);
    } else if (c == U'\t') {
      append_utf8(&visible, 0x21E5);
    } else if (is_invisible(c) && !shapes_neighbours(code_points, i)) {
      visible.append("<").append(code_point_name(c)).append(">");
    } else {
      if (i == 0 && in_ranges(kCombining, c)) append_utf8(&visible, 0x25CC);  // a mark alone stands on a dotted circle
      append_utf8(&visible, c);
    }
  }
  return visible;
}

std::string_view text_at(const Token& token, std::span<const std::string> texts) {
  const auto segment = static_cast<std::size_t>(token.segment);
  if (segment >= texts.size() || token.begin >= token.end || token.end > texts[segment].size()) return {};
  return std::string_view(texts[segment]).substr(token.begin, token.end - token.begin);
}

std::string token_label(const Token& token) {
  const std::string text = visible_text(token.text);
  return token.kind == TokenKind::kContinuation ? "##" + text : text;
}

std::string visible_prose(std::string_view text, std::string_view kept) {
  std::string visible;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(kept, begin), text.size());
    visible += visible_text(text.substr(begin, end - begin));
    if (end < text.size()) visible += text[end];
    begin = end + 1;
  }
  return visible;
}

std::string gap_before(std::span<const Token> tokens, std::size_t i, std::span<const std::string> texts) {
  if (i == 0) return "";
  const Token& before = tokens[i - 1];
  const Token& token = tokens[i];
  if (token.position && before.position && *token.position != *before.position + before.n_tokens) return " … ";
  if (token.segment != before.segment) return "\n";
  if (before.kind == TokenKind::kSpecial || token.kind == TokenKind::kSpecial) return " ";
  if (text_at(before, texts).empty() || text_at(token, texts).empty()) {
    return token.kind == TokenKind::kContinuation || token.kind == TokenKind::kBytes ? "" : " ";
  }
  if (before.end >= token.begin) return "";  // the tokens of one character share its place
  return texts[static_cast<std::size_t>(token.segment)].substr(before.end, token.begin - before.end);
}

}  // namespace attnviz
