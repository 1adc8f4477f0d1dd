// See quote.h.
#include "base/quote.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

// Characters that could move the cursor, reorder a line or be invisible: C0, DEL, C1, bidi and line controls, zero-width ones.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

// The character at text[position], made safe to show.
struct ShownChar {
  std::string shown;
  std::size_t length = 0;  // bytes of `text` it stands for
};

ShownChar show_char(std::string_view text, std::size_t position) {
  const Utf8Char character = decode_utf8(text, position);
  const std::size_t length = character.length == 0 ? 1 : character.length;
  const std::string_view bytes = text.substr(position, length);
  if (character.length != 0 && !is_unsafe(character.code_point)) return {std::string(bytes), length};
  std::string escaped;
  for (const char byte : bytes) escaped += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return {escaped, length};
}

}  // namespace

std::string quote_text(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  for (std::size_t position = 0; position < text.size();) {
    if (position >= limit) return out + "...\"";
    const ShownChar character = show_char(text, position);
    if (character.shown == "\"" || character.shown == "\\") out += '\\';
    out += character.shown;
    position += character.length;
  }
  return out + '"';
}

std::string printable_text(std::string_view text) {
  std::string out;
  for (std::size_t position = 0; position < text.size();) {
    const ShownChar character = show_char(text, position);
    out += character.shown;
    position += character.length;
  }
  return out;
}

}  // namespace attnviz
