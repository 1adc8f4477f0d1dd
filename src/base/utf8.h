// UTF-8: checked decoding. Everything past the command line works on valid UTF-8.
// Follows RFC 3629: no surrogates, no overlong forms, nothing past U+10FFFF. Tested in tests/unit/base/utf8_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnviz {

struct Utf8Char {
  char32_t code_point = 0;
  std::size_t length = 0;  // bytes, 1..4; 0 where the bytes are not UTF-8
};

// The character that starts at text[position]; length 0 when the bytes there are not valid.
Utf8Char decode_utf8(std::string_view text, std::size_t position);

// Byte offset of the first invalid sequence; none if all are valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Whether a byte of valid UTF-8 continues a character.
inline bool is_utf8_trail(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The start of the character that contains text[position]; text.size() for positions past the end. For valid UTF-8.
std::size_t utf8_begin(std::string_view text, std::size_t position);

// The longest prefix of at most `most` bytes that splits no character. For valid UTF-8.
std::string_view utf8_prefix(std::string_view text, std::size_t most);

void append_utf8(std::string* text, char32_t code_point);

// "U+200D"
std::string code_point_name(char32_t code_point);

}  // namespace attnviz
