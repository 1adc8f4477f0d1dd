// What an entry of the vocabulary stands for in a text: the way back from its spelling ("Ġstreet", "▁street", "<0xE2>", "##ing").
//
// The rules follow from the stages that made the spelling: byte-level characters are bytes again, a mark is a space again, byte
// pieces are their byte, and a piece that does not continue a word has a space before it where words were cut at spaces. As the
// reference's decoders do it, except for its cleaning of spaces around punctuation. Tested in
// tests/unit/text/models/continuation_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <string>
#include <string_view>

namespace attnviz {

class PieceSpelling {
 public:
  explicit PieceSpelling(const TokenizerSpec& spec);

  // Bytes, which need not be whole characters.
  std::string bytes_of(std::string_view spelling) const;

 private:
  bool byte_level_ = false;
  bool byte_pieces_ = false;
  std::string mark_;               // stands for a space; empty: nothing does
  std::string continuing_prefix_;  // of pieces that are not first in a word; empty: no piece has one
  std::string end_of_word_;        // at the end of a word's last piece
};

}  // namespace attnviz
