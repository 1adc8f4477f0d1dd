// See terminal_text.h.
#include "render/terminal/terminal_text.h"

#include <algorithm>

#include <glib.h>

#include "base/utf8.h"
#include "trace/label.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxMarks = 4;  // more on one letter would paint over the lines above and below

// Shapes its neighbours in a picture, but in a terminal only makes the width uncertain.
bool is_left_out(char32_t c) {
  const bool joiner = c == 0x200C || c == 0x200D;
  const bool selector = (c >= 0x180B && c <= 0x180F) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0000 && c <= 0xE0FFF);
  const bool skin_tone = c >= 0x1F3FB && c <= 0x1F3FF;
  return joiner || selector || skin_tone;
}

}  // namespace

TerminalText::TerminalText(std::string_view text) { append_visible(visible_text(text)); }

TerminalText TerminalText::prose(std::string_view text) {
  TerminalText all;
  all.append_visible(visible_prose(text));
  return all;
}

void TerminalText::append_visible(std::string_view visible) {
  std::size_t n_marks = 0;
  for (std::size_t position = 0; position < visible.size();) {
    const Utf8Char character = decode_utf8(visible, position);
    const std::string bytes(visible.substr(position, character.length));
    position += character.length;
    const bool mark = g_unichar_iszerowidth(character.code_point) != FALSE;
    if (is_left_out(character.code_point) && !(glyphs_.empty() && !mark)) continue;
    if (!mark) {
      append({bytes, g_unichar_iswide(character.code_point) ? std::size_t{2} : std::size_t{1}});
      n_marks = 0;
      continue;
    }
    if (glyphs_.empty()) append({"\u25CC", 1});
    if (n_marks++ < kMaxMarks) glyphs_.back().bytes += bytes;
  }
}

void TerminalText::append(Glyph glyph) {
  width_ += glyph.width;
  glyphs_.push_back(std::move(glyph));
}

std::string TerminalText::bytes() const {
  std::string all;
  for (const Glyph& glyph : glyphs_) all += glyph.bytes;
  return all;
}

TerminalText TerminalText::elided(std::size_t width) const {
  if (width_ <= width) return *this;
  TerminalText cut;
  if (width == 0) return cut;
  for (const Glyph& glyph : glyphs_) {
    if (cut.width_ + glyph.width + 1 > width) break;
    cut.append(glyph);
  }
  cut.append({"\u2026", 1});
  return cut;
}

std::string right_aligned(const TerminalText& text, std::size_t width) {
  return std::string(width - std::min(width, text.width()), ' ') + text.bytes();
}

std::string left_aligned(const TerminalText& text, std::size_t width) {
  return text.bytes() + std::string(width - std::min(width, text.width()), ' ');
}

}  // namespace attnviz
