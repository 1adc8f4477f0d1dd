// SentencePiece's BPE: of all neighbours that join to a piece, those whose piece has the highest score are joined first, the
// leftmost of equals. Unlike BPE by a list of merges, any two pieces that spell a third may meet. The vocabularies of GGUF's
// "llama" kind are used so. Characters without a piece become byte pieces, or the unknown token, neighbouring ones fused. Tested in
// tests/unit/text/sentencepiece_bpe_test.cpp and against the sentencepiece library in tests/parity/tokenizer.
#pragma once

#include <string>
#include <vector>

#include "text/byte_fallback.h"
#include "text/sentencepiece_index.h"
#include "text/stages.h"

namespace attnviz {

class SentencePieceBpe final : public PieceModel {
 public:
  // `spec` must outlive this. Throws Error(kModel) where there is neither an unknown piece nor all byte pieces.
  SentencePieceBpe(const SpmSpec& spec, const std::string& where);

  void encode(AlignedView word, std::vector<Piece>* pieces) const override;
  std::size_t n_vocab() const override { return spec_.pieces.size(); }
  std::string_view spelling(std::int32_t id) const override { return spec_.pieces[static_cast<std::size_t>(id)].text; }

 private:
  struct Merger;

  const SpmSpec& spec_;
  PieceIndex index_;         // of pieces that text can become: normal, user-defined and unused ones
  PieceIndex user_defined_;  // found whole before anything is joined
  ByteFallback bytes_;
  std::int32_t unknown_id_ = -1;
};

}  // namespace attnviz
