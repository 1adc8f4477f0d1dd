// See stages.h: one case for each alternative of the spec's variants. A kind without a case does not compile; one that cannot be
// served is refused by name, for a step that is skipped would give wrong tokens.
#include "text/stages.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <utility>

#include "text/bert_normalizer.h"
#include "text/bert_pre_tokenizer.h"
#include "text/unigram_stages.h"
#include "text/word_piece.h"

namespace attnviz {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalizerSpec& spec) : spec_(spec) {}
  AlignedText normalize(AlignedText text) const override { return normalize_bert(spec_, text); }

 private:
  const BertNormalizerSpec& spec_;
};

class BertPreTokenizer final : public PreTokenizer {
 public:
  void split(AlignedText text, std::vector<WordText>* words) const override {
    for (const PreToken& piece : pre_tokenize_bert(text)) {
      const AlignedView part = AlignedView(text).subspan(piece.range.begin, piece.range.end - piece.range.begin);
      words->push_back({AlignedText(part.begin(), part.end()), piece.continues_word});
    }
  }
  bool knows_words() const override { return true; }
};

class WordPieceModel final : public PieceModel {
 public:
  WordPieceModel(const WordPieceSpec& spec, const std::string& where) : spec_(spec), word_piece_(spec, where) {}

  void encode(AlignedView word, std::vector<Piece>* pieces) const override {
    std::vector<WordPiece::Piece> found;
    word_piece_.split(word, {0, word.size()}, &found);
    for (const WordPiece::Piece& piece : found) {
      const bool unknown = piece.id == word_piece_.unknown_id();
      pieces->push_back({piece.id, piece.range, unknown ? PieceKind::kUnknown : PieceKind::kText});
    }
  }
  std::size_t n_vocab() const override { return spec_.vocab.size(); }
  std::string_view spelling(std::int32_t id) const override { return spec_.vocab[static_cast<std::size_t>(id)]; }

 private:
  const WordPieceSpec& spec_;
  WordPiece word_piece_;
};

[[noreturn]] void refuse(const std::string& where, std::string_view kind) {
  throw Error(ErrorKind::kModel, fmt::format("{}: the kind \"{}\" is not supported; use another model", where, kind));
}

}  // namespace

std::unique_ptr<Normalizer> make_normalizer(const NormalizerSpec& spec, const std::string& where) {
  using Made = std::unique_ptr<Normalizer>;
  return std::visit(Overloaded{
                        [](const BertNormalizerSpec& s) -> Made { return std::make_unique<BertNormalizer>(s); },
                        [&](const PrecompiledSpec& s) -> Made { return make_precompiled(s, where); },
                        [&](const auto&) -> Made { refuse(where, "normalizer"); },
                    },
                    spec);
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const PreTokenizerSpec& spec, const std::string& where) {
  using Made = std::unique_ptr<PreTokenizer>;
  return std::visit(Overloaded{
                        [](const BertPreTokenizerSpec&) -> Made { return std::make_unique<BertPreTokenizer>(); },
                        [&](const MetaspaceSpec& s) -> Made { return make_metaspace(s, where); },
                        [&](const auto&) -> Made { refuse(where, "pre-tokenizer"); },
                    },
                    spec);
}

std::unique_ptr<PieceModel> make_piece_model(const PieceModelSpec& spec, const std::string& where) {
  using Made = std::unique_ptr<PieceModel>;
  return std::visit(Overloaded{
                        [&](const WordPieceSpec& s) -> Made { return std::make_unique<WordPieceModel>(s, where); },
                        [&](const UnigramSpec& s) -> Made { return make_unigram(s, where); },
                        [&](const SentencePieceSpec& s) -> Made { return make_sentencepiece(s, where); },
                        [&](const BpeSpec&) -> Made { refuse(where, "BPE"); },
                    },
                    spec);
}

}  // namespace attnviz
