// See utf8.h.
#include "base/utf8.h"

#include <fmt/format.h>

namespace attnviz {

Utf8Char decode_utf8(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
  if (position >= text.size()) return {};
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t code_point = 0;
  char32_t smallest = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2, code_point = lead & 0x1F, smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, code_point = lead & 0x0F, smallest = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, code_point = lead & 0x07, smallest = 0x10000;
  } else {
    return {};
  }
  if (text.size() - position < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3F);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < smallest || code_point > 0x10FFFF || surrogate) return {};
  return {code_point, length};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    const Utf8Char character = decode_utf8(text, position);
    if (character.length == 0) return position;
    position += character.length;
  }
  return std::nullopt;
}

std::size_t utf8_begin(std::string_view text, std::size_t position) {
  if (position >= text.size()) return text.size();
  while (position > 0 && is_utf8_trail(text[position])) --position;
  return position;
}

std::string_view utf8_prefix(std::string_view text, std::size_t most) { return text.substr(0, utf8_begin(text, most)); }

void append_utf8(std::string* text, char32_t code_point) {
  const auto put = [&](char32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6), put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12), put(0x80 | (code_point >> 6 & 0x3F)), put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18), put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F)), put(0x80 | (code_point & 0x3F));
  }
}

std::string code_point_name(char32_t code_point) { return fmt::format("U+{:04X}", static_cast<unsigned>(code_point)); }

}  // namespace attnviz
