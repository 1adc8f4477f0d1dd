// SentencePiece's BPE, through the sentencepiece library: of all neighbours that join to a piece, those whose piece has the highest
// score are joined first, the leftmost of equals. Unlike BPE by a list of merges, any two pieces that spell a third may meet. The
// BPE of .model files and the vocabularies of GGUF's "llama" kind are used so.
//
// The library is given a model that is written here, of checked pieces and without any normalising, and segments stretches of text:
// what surrounds that (user-defined pieces, byte pieces, runs of what has no piece) stays here, so that ids equal the reference's
// and no file reaches the library as it is. docs/ARCHITECTURE.md says why Unigram does not go this way.
// Tested in tests/unit/text/sentencepiece_bpe_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/byte_fallback.h"
#include "text/sentencepiece_index.h"
#include "text/stages.h"

namespace attnviz {

class SentencePieceBpe final : public PieceModel {
 public:
  // `spec` must outlive this. Throws Error(kModel) where there is neither an unknown piece nor all byte pieces, unless what has no
  // piece is to be dropped.
  SentencePieceBpe(const SpmSpec& spec, const std::string& where);
  ~SentencePieceBpe() override;

  void encode(AlignedView word, std::vector<Piece>* pieces) const override;
  std::size_t n_vocab() const override { return spec_.pieces.size(); }
  std::string_view spelling(std::int32_t id) const override { return spec_.pieces[static_cast<std::size_t>(id)].text; }

 private:
  class Library;
  struct Word;

  std::size_t user_defined_at(const Word& word, std::size_t begin, std::int32_t* id) const;
  std::size_t end_of_stretch(const Word& word, std::size_t begin) const;
  void segment(const Word& word, CharRange range, std::vector<Piece>* pieces) const;
  void append_unknown(AlignedView word, CharRange range, std::vector<Piece>* pieces) const;

  const SpmSpec& spec_;
  std::string where_;
  PieceIndex user_defined_;      // found whole before anything is joined
  std::vector<bool> has_piece_;  // [code points]: some piece that text can become holds this character
  ByteFallback bytes_;
  std::int32_t unknown_id_ = -1;
  std::unique_ptr<Library> library_;
};

}  // namespace attnviz
