// Byte-level text (GPT-2, Radford et al. 2019): each byte of UTF-8 as one printable character, so that a vocabulary of pieces
// covers every text. Bytes that print in Latin-1 are themselves, the others follow from U+0100 on ("Ġ" is the space). Tested in
// tests/unit/text/models/bpe_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/normalize/aligned_text.h"

namespace attnviz {

char32_t byte_to_char(unsigned char byte);
std::optional<unsigned char> char_to_byte(char32_t c);

// Each character as its bytes, which all have its place.
AlignedText to_byte_level(AlignedView text);

// Whole characters as they are, other bytes as "<0xE2>"; white space at the ends is left out.
std::string spell_broken_bytes(std::string_view bytes);

// What a piece holds, when that is not whole characters: those as they are, other bytes as "<0xE2>"; white space at its ends is
// left out. Nothing when it is whole characters, or not byte-level text.
std::optional<std::string> text_of_broken_bytes(AlignedView piece);

}  // namespace attnviz
