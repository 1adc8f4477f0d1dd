// Words as a reader sees them, found in the user's text: for tokenizers whose pre-tokens are not words ("'t", single digits, whole
// sentences), so that pieces of one word can be merged and labels carry no white space.
//
// Two neighbouring tokens are one word where nothing is between them and Unicode's word segmentation (UAX #29) would not break:
// between letters, digits and marks, around an apostrophe between two of those, inside a character, and inside an emoji of several
// characters. A Chinese character is a word of its own. Tested in tests/unit/text/split/reader_words_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attnviz {

// Bytes [begin, end) of the user's text.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The place without white space at its ends; one that is nothing but white space stays.
Place without_space(std::string_view text, Place place);

// Sets `word` of neighbouring tokens of `text`, counting on from *next_word. A token that continues a word becomes a continuation
// if it is not of another kind; one that begins a word is no longer a continuation.
void number_reader_words(std::string_view text, std::span<Token> tokens, std::int32_t* next_word);

}  // namespace attnviz
