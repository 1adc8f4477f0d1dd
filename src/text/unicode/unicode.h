// What normalisers and pre-tokenisers ask about a code point, answered as the reference tokenizers library does.
//
// The data is utf8proc's (Unicode 15) with the exceptions of unicode_exceptions.h on top: the reference mixes tables of Unicode 8
// (categories), 13 (decomposition) and 16 (lower-casing), and ids must be equal even for characters that are younger than that.
// Tested in tests/unit/text/unicode/unicode_test.cpp and over all code points in tests/parity/tokenizer.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace attnviz {

bool is_white_space(char32_t c);       // White_Space
bool is_cleaned_away(char32_t c);      // NUL, U+FFFD, control, format and private-use characters; not tab and line ends
bool is_chinese(char32_t c);           // the blocks the reference spaces out
bool is_nonspacing_mark(char32_t c);   // Mn
bool is_bert_punctuation(char32_t c);  // P*, and every ASCII symbol
bool is_word_character(char32_t c);    // \w of a regular expression
bool is_letter_or_digit(char32_t c);   // L* and N*
bool is_numeric(char32_t c);           // N*, by the tables of the Digits pre-tokeniser
bool is_pictographic(char32_t c);      // Extended_Pictographic: what joiners may join to an emoji
bool is_any_mark(char32_t c);          // M*, by the tables of the StripAccents normaliser
int canonical_combining_class(char32_t c);

// A code point that regular expressions class as the reference's classes `c`; mostly `c` itself.
char32_t regex_stand_in(char32_t c);

// Code points that stand for one; the longest decomposition of Unicode has 18.
struct CodePoints {
  std::array<char32_t, 18> values{};
  std::size_t size = 0;

  std::span<const char32_t> span() const { return {values.data(), size}; }
};

CodePoints decompose_canonically(char32_t c);       // full canonical decomposition, not reordered
CodePoints decompose_compatibly(char32_t c);        // full compatibility decomposition, not reordered
char32_t compose(char32_t first, char32_t second);  // the one canonical equivalent of the two; 0 when there is none
CodePoints lower_case(char32_t c);                  // without context: a final sigma is a sigma

}  // namespace attnviz
