// SentencePiece's BPE, through the sentencepiece library: of all neighbours that join to a piece, those whose piece has the highest
// score are joined first, the leftmost of equals. Unlike BPE by a list of merges, any two pieces that spell a third may meet. The
// BPE of .model files and the vocabularies of GGUF's "llama" kind are used so; docs/ARCHITECTURE.md says why Unigram is not.
// Tested in tests/unit/text/models/sentencepiece_bpe_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_bytes.h"
#include "text/models/byte_fallback.h"
#include "text/models/piece_table.h"
#include "text/stages.h"

namespace attnviz {

// The library is given a model that is written here, of checked pieces and without any normalising, and segments stretches of text:
// what surrounds that (user-defined pieces, byte pieces, runs of what has no piece) stays here, so that ids equal the reference's
// and no file reaches the library as it is. What it makes of a stretch depends only on the pieces that the stretch holds: so a
// short text loads those and not the whole vocabulary.
//
//     frozen: TextList of all pieces | PieceIndex of those that text becomes | PieceIndex of the user-defined ones | f32 scores
//             | u8 types | u64 bits of the characters that pieces of text hold | i32 id of the unknown piece | i32 ids of the bytes
class SentencePieceBpe final : public PieceModel {
 public:
  // Throws Error(kModel) where there is neither an unknown piece nor all byte pieces, unless what has no piece is to be dropped.
  static std::string freeze(const SpmSpec& spec, const std::string& where);

  // Of what freeze wrote, which must outlive this. Throws Error(kModel) for other bytes.
  SentencePieceBpe(const std::string& where, FlatReader* frozen);
  ~SentencePieceBpe() override;

  void encode(AlignedView word, std::vector<Piece>* pieces) const override;
  std::size_t n_vocab() const override { return texts_.size(); }
  std::string_view spelling(std::int32_t id) const override { return texts_[static_cast<std::size_t>(id)]; }

 private:
  class Library;
  struct Word;

  std::size_t user_defined_at(const Word& word, std::size_t begin, std::int32_t* id) const;
  std::size_t end_of_stretch(const Word& word, std::size_t begin) const;
  void segment(const Word& word, CharRange range, std::vector<Piece>* pieces) const;
  void append_unknown(AlignedView word, CharRange range, std::vector<Piece>* pieces) const;

  bool has_piece(char32_t c) const;  // some piece that text can become holds this character
  std::shared_ptr<const Library> library_for(std::string_view text) const;
  std::vector<std::int32_t> pieces_within(std::string_view text) const;
  std::vector<std::int32_t> pieces_of_text() const;

  std::string where_;
  TextList texts_;
  PieceIndex text_pieces_;
  PieceIndex user_defined_;  // found whole before anything is joined
  std::span<const float> scores_;
  std::span<const SpmPiece::Type> types_;
  std::span<const std::uint64_t> characters_;
  std::int32_t unknown_id_;
  ByteFallback bytes_;
  mutable std::atomic<std::size_t> n_loaded_{0};  // bytes of text that loaded pieces of their own
  mutable std::once_flag whole_once_;
  mutable std::shared_ptr<const Library> whole_;
};

}  // namespace attnviz
