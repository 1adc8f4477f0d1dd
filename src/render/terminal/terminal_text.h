// Text cut into what a terminal draws as one unit, with its width in columns, so that nothing is cut through a wide character or
// pushed out of its column. Widths are GLib's (East Asian Width, Unicode Standard Annex 11).
//
// Nothing that could move a terminal's cursor or change its direction is kept: controls and bidi marks are spelled out (see
// trace/label.h), and joiners, selectors and skin tones are left out, because terminals disagree on their widths.
// Tested in tests/unit/render/terminal/terminal_text_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct Glyph {
  std::string bytes;      // a character and the marks on it
  std::size_t width = 1;  // 1 or 2 columns
};

class TerminalText {
 public:
  TerminalText() = default;
  explicit TerminalText(std::string_view text);      // any text; a space shows as U+2423
  static TerminalText prose(std::string_view text);  // the same, but spaces stay spaces

  const std::vector<Glyph>& glyphs() const { return glyphs_; }
  std::size_t width() const { return width_; }
  std::string bytes() const;

  // At most `width` columns; an ellipsis stands for what is left out at the end.
  TerminalText elided(std::size_t width) const;

 private:
  void append(Glyph glyph);
  void append_visible(std::string_view visible);

  std::vector<Glyph> glyphs_;
  std::size_t width_ = 0;
};

// `text` with spaces before (or after) it to fill `width` columns; never cut.
std::string right_aligned(const TerminalText& text, std::size_t width);
std::string left_aligned(const TerminalText& text, std::size_t width);

}  // namespace attnviz
