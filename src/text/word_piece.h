// WordPiece: a word as the greedy longest-match-first sequence of vocabulary pieces (Schuster & Nakajima 2012; Devlin et al. 2019).
// Tested in tests/unit/text/word_piece_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"

namespace attnviz {

// Text -> id over a vocabulary that is kept elsewhere. One flat table: a program that starts for one sentence builds it every time.
class VocabularyIndex {
 public:
  // `vocab` must outlive the index. Empty texts are holes in the numbering. Throws Error(kModel) for equal texts.
  VocabularyIndex(const std::vector<std::string>& vocab, const std::string& where);

  std::optional<std::int32_t> find(std::string_view text) const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t id = -1;  // -1: free
  };

  const std::vector<std::string>& vocab_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

class WordPiece {
 public:
  struct Piece {
    std::int32_t id = 0;
    CharRange range;
  };

  // `spec` must outlive this. Throws Error(kModel) when the unknown token is not in the vocabulary.
  WordPiece(const WordPieceSpec& spec, const std::string& where);

  // Appends the pieces of the word text[range); one unknown piece where the vocabulary does not cover it, or where it is too long.
  void split(AlignedView text, CharRange range, std::vector<Piece>* pieces) const;

  std::int32_t unknown_id() const { return unknown_id_; }
  std::optional<std::int32_t> find(std::string_view text) const { return index_.find(text); }

 private:
  std::optional<Piece> longest_piece(AlignedView text, CharRange word, std::size_t begin) const;

  const WordPieceSpec& spec_;
  VocabularyIndex index_;
  std::int32_t unknown_id_ = 0;
  std::size_t longest_ = 0;  // bytes of the longest entry
};

}  // namespace attnviz
