// From ids that a model generated to tokens with places in the text that they make.
//
// A token stands for bytes, which need not be whole characters: a character that several tokens share is the place of all of them,
// as when a text is encoded. Bytes that make no character become U+FFFD in the text, as the reference's decoders have it.
// Tested in tests/unit/text/models/continuation_test.cpp and, against the text's own encoding, in tests/parity/tokenizer.
#pragma once

#include <attnviz/token.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

struct GeneratedPiece {
  std::int32_t id = 0;
  std::string bytes;     // what it adds to the text
  std::string name;      // a special token's own
  bool special = false;  // adds nothing
};

// Appends to *text what the pieces make and returns their tokens. `before` are the tokens of *text, whose last word may go on.
std::vector<Token> append_pieces(std::span<const GeneratedPiece> pieces, std::span<const Token> before, std::string* text);

}  // namespace attnviz
