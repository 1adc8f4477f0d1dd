// See byte_level.h.
#include "text/models/byte_level.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"
#include "text/split/reader_words.h"

namespace attnviz {
namespace {

constexpr std::size_t kTableEnd = 0x144;  // one past the last character of the table

constexpr bool prints(unsigned char byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Tables {
  std::array<char32_t, 256> chars{};
  std::array<std::int16_t, kTableEnd> bytes{};  // -1: none

  constexpr Tables() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const auto b = static_cast<unsigned char>(byte);
      chars[b] = prints(b) ? static_cast<char32_t>(b) : next++;
      bytes[chars[b]] = static_cast<std::int16_t>(byte);
    }
  }
};

constexpr Tables kTables;

}  // namespace

char32_t byte_to_char(unsigned char byte) { return kTables.chars[byte]; }

std::optional<unsigned char> char_to_byte(char32_t c) {
  if (c >= kTableEnd || kTables.bytes[c] < 0) return std::nullopt;
  return static_cast<unsigned char>(kTables.bytes[c]);
}

AlignedText to_byte_level(AlignedView text) {
  AlignedText out;
  out.reserve(text.size() + text.size() / 4);
  std::string bytes;
  for (const AlignedChar& c : text) {
    bytes.clear();
    append_utf8(&bytes, c.code_point);
    for (const char byte : bytes) out.push_back({byte_to_char(static_cast<unsigned char>(byte)), c.begin, c.end});
  }
  return out;
}

std::string spell_broken_bytes(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, i).length;
    if (length > 0) {
      text += bytes.substr(i, length);
    } else {
      text += fmt::format("<0x{:02X}>", static_cast<unsigned char>(bytes[i]));
    }
    i += std::max<std::size_t>(length, 1);
  }
  const Place inner = without_space(text, {0, text.size()});
  return text.substr(inner.begin, inner.end - inner.begin);
}

std::optional<std::string> text_of_broken_bytes(AlignedView piece) {
  std::string bytes;
  for (const AlignedChar& c : piece) {
    const auto byte = char_to_byte(c.code_point);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
  }
  if (!find_invalid_utf8(bytes)) return std::nullopt;
  return spell_broken_bytes(bytes);
}

}  // namespace attnviz
