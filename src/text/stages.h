// The stages between a text and its pieces, each behind an interface, and the functions that make one from its spec.
//
// Text stays aligned on its way: a stage may drop, change, or add characters, and each keeps the bytes of the user's text it
// stands for. An added character has the place of its neighbour, or an empty one. A new kind of stage is an alternative of a
// variant in tokenizer_spec.h, a class in a file of its own, and a case in stages.cpp; stages that SentencePiece introduced are
// made by unigram_stages.h. Tested in tests/unit/text and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_bytes.h"
#include "text/normalize/aligned_text.h"

namespace attnviz {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual AlignedText normalize(AlignedText text) const = 0;
};

// A word that the model will split into pieces.
struct WordText {
  AlignedText text;
  bool continues_word = false;  // a reader's word goes on; only where PreTokenizer::knows_words
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  // Appends the words of one stretch of text; the next stage gets each of them. The caller drops empty ones.
  virtual void split(AlignedText text, std::vector<WordText>* words) const = 0;

  // True where each piece, or the run of pieces that `continues_word` joins, is a word for a reader. Otherwise words are found in
  // the user's text (reader_words.h).
  virtual bool knows_words() const { return false; }
};

class PieceModel {
 public:
  enum class PieceKind : std::uint8_t {
    kText,
    kUnknown,  // the unknown token stands for what the vocabulary lacks
    kByte,     // one byte of such a character ("<0xE2>"); its place is the whole character
  };
  struct Piece {
    std::int32_t id = 0;
    CharRange range;  // of the word given; empty where the piece stands for nothing in it
    PieceKind kind = PieceKind::kText;
  };

  virtual ~PieceModel() = default;
  virtual void encode(AlignedView word, std::vector<Piece>* pieces) const = 0;  // appends

  virtual std::size_t n_vocab() const = 0;
  virtual std::string_view spelling(std::int32_t id) const = 0;  // for ids below n_vocab()
};

// Each throws Error(kModel) for a spec it cannot serve. The spec must outlive what is made from it.
std::unique_ptr<Normalizer> make_normalizer(const NormalizerSpec& spec, const std::string& where);
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const PreTokenizerSpec& spec, const std::string& where);

// A model is made in two steps. Its vocabulary (pieces, scores, merges) is frozen into tables, a block of bytes as the model's own
// header draws it; and a model is opened on such a block, which is looked up in place, and on the spec's other settings. Both
// must outlive the model. Each throws Error(kModel), for a spec that cannot be served and for bytes that freezing did not write.
std::string freeze_piece_model(const PieceModelSpec& spec, const std::string& where);
std::unique_ptr<PieceModel> open_piece_model(const PieceModelSpec& settings, const std::string& where, FlatReader* frozen);

}  // namespace attnviz
