// Unigram: the segmentation of a word with the highest sum of log probabilities (Kudo 2018), found by dynamic programming over the
// characters (Viterbi). An unknown character costs ten more than the least probable piece; neighbouring unknown ones are one token,
// or byte pieces. Scores are added as doubles, in the reference's order, so that ties are resolved as there.
//
//     frozen: PieceTable | f64 scores of the pieces | f64 score of an unknown character | i32 ids of the bytes 0 to 255, or -1
//
// Tested in tests/unit/text/models/unigram_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/flat_bytes.h"
#include "text/models/byte_fallback.h"
#include "text/models/piece_table.h"
#include "text/stages.h"

namespace attnviz {

class Unigram final : public PieceModel {
 public:
  // Throws Error(kModel) for an unknown id that is not a piece's.
  static std::string freeze(const UnigramSpec& spec, const std::string& where);

  // Of the spec everything but the pieces, which are in `frozen`. Both must outlive this. Throws Error(kModel) for bytes that
  // freeze did not write.
  Unigram(const UnigramSpec& settings, const std::string& where, FlatReader* frozen);

  void encode(AlignedView word, std::vector<Piece>* pieces) const override;
  std::size_t n_vocab() const override { return table_.texts.size(); }
  std::string_view spelling(std::int32_t id) const override { return table_.texts[static_cast<std::size_t>(id)]; }

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

  const UnigramSpec& settings_;
  std::string where_;
  PieceTable table_;
  std::span<const double> scores_;  // [V]
  double unknown_score_;
  ByteFallback bytes_;
};

}  // namespace attnviz
