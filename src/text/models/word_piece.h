// WordPiece: a word as the greedy longest-match-first sequence of vocabulary pieces (Schuster & Nakajima 2012; Devlin et al. 2019).
//
//     frozen: PieceTable | i32 id of the unknown token
//
// Tested in tests/unit/text/models/word_piece_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_bytes.h"
#include "text/models/piece_table.h"
#include "text/normalize/aligned_text.h"

namespace attnviz {

class WordPiece {
 public:
  struct Piece {
    std::int32_t id = 0;
    CharRange range;
  };

  // Throws Error(kModel): two equal pieces, or the unknown token is not in the vocabulary.
  static std::string freeze(const WordPieceSpec& spec, const std::string& where);

  // Of the spec everything but the vocabulary, which is in `frozen`. Both must outlive this. Throws Error(kModel) for bytes that
  // freeze did not write.
  WordPiece(const WordPieceSpec& settings, FlatReader* frozen);

  // Appends the pieces of the word text[range); one unknown piece where the vocabulary does not cover it, or where it is too long.
  void split(AlignedView text, CharRange range, std::vector<Piece>* pieces) const;

  std::int32_t unknown_id() const { return unknown_id_; }
  const PieceTable& pieces() const { return pieces_; }

 private:
  std::optional<Piece> longest_piece(AlignedView text, CharRange word, std::size_t begin) const;

  const WordPieceSpec& settings_;
  PieceTable pieces_;
  std::int32_t unknown_id_;
};

}  // namespace attnviz
