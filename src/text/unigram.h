// Unigram: the segmentation of a word with the highest sum of log probabilities (Kudo 2018), found by dynamic programming over the
// characters (Viterbi). An unknown character costs ten more than the least probable piece; neighbouring unknown ones are one token,
// or byte pieces. Scores are added as doubles, in the reference's order, so that ties fall as there.
// Tested in tests/unit/text/unigram_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <string>
#include <vector>

#include "text/byte_fallback.h"
#include "text/sentencepiece_index.h"
#include "text/stages.h"

namespace attnviz {

class Unigram final : public PieceModel {
 public:
  // `spec` must outlive this. Throws Error(kModel) for an unknown id that is not a piece's.
  Unigram(const UnigramSpec& spec, const std::string& where);

  void encode(AlignedView word, std::vector<Piece>* pieces) const override;
  std::size_t n_vocab() const override { return spec_.pieces.size(); }
  std::string_view spelling(std::int32_t id) const override { return spec_.pieces[static_cast<std::size_t>(id)].text; }

 private:
  // The best way to spell the characters up to here.
  struct Node {
    double score = 0;
    std::size_t begin = 0;  // where its last piece begins
    std::int32_t id = -1;   // of its last piece; -1: not reached
  };
  struct Characters;

  std::vector<Node> best_paths(const Characters& text) const;
  void append_unknown(AlignedView word, CharRange range, const Characters& text, std::vector<Piece>* pieces) const;

  const UnigramSpec& spec_;
  std::string where_;
  PieceIndex index_;
  ByteFallback bytes_;
  double unknown_score_ = 0;
};

}  // namespace attnviz
