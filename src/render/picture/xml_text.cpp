// See xml_text.h.
#include "render/picture/xml_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

bool is_xml_character(char32_t c) {
  if (c < 0x20) return c == U'\t' || c == U'\n' || c == U'\r';
  return c != 0xFFFE && c != 0xFFFF;
}

// Joiners are not among them: emoji and scripts are full of them.
bool needs_reference(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == U'&' || c == U'<' || c == U'>' || c == U'"' || c == U'\'' || c == 0xAD ||
         c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F) ||
         c == 0xFEFF;
}

void append_character(std::string* out, char32_t c) {
  switch (c) {
    case U'&': *out += "&amp;"; break;
    case U'<': *out += "&lt;"; break;
    case U'>': *out += "&gt;"; break;
    case U'"': *out += "&quot;"; break;
    case U'\'': *out += "&#39;"; break;
    default: fmt::format_to(std::back_inserter(*out), "&#x{:X};", static_cast<std::uint32_t>(c));
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char character = decode_utf8(text, at);
    if (character.length == 0 || !is_xml_character(character.code_point)) {
      append_utf8(&out, 0xFFFD);
    } else if (needs_reference(character.code_point)) {
      append_character(&out, character.code_point);
    } else {
      out += text.substr(at, character.length);
    }
    at += std::max<std::size_t>(character.length, 1);
  }
  return out;
}

}  // namespace attnviz
