// See stages.h: one case for each alternative of the spec's variants. A kind without a case does not compile.
#include "text/stages.h"

#include <utility>

#include "text/models/bpe.h"
#include "text/models/unigram_stages.h"
#include "text/models/word_piece.h"
#include "text/normalize/bert_normalizer.h"
#include "text/normalize/normalizers.h"
#include "text/split/bert_pre_tokenizer.h"
#include "text/split/pre_tokenizers.h"

namespace attnviz {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // Clang 14 does not deduce it by itself

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
  WordPieceModel(const WordPieceSpec& settings, FlatReader* frozen) : word_piece_(settings, frozen) {}

  void encode(AlignedView word, std::vector<Piece>* pieces) const override {
    std::vector<WordPiece::Piece> found;
    word_piece_.split(word, {0, word.size()}, &found);
    for (const WordPiece::Piece& piece : found) {
      const bool unknown = piece.id == word_piece_.unknown_id();
      pieces->push_back({piece.id, piece.range, unknown ? PieceKind::kUnknown : PieceKind::kText});
    }
  }
  std::size_t n_vocab() const override { return word_piece_.pieces().texts.size(); }
  std::string_view spelling(std::int32_t id) const override { return word_piece_.pieces().texts[static_cast<std::size_t>(id)]; }

 private:
  WordPiece word_piece_;
};

}  // namespace

std::unique_ptr<Normalizer> make_normalizer(const NormalizerSpec& spec, const std::string& where) {
  using Made = std::unique_ptr<Normalizer>;
  return std::visit(Overloaded{
                        [](const BertNormalizerSpec& s) -> Made { return std::make_unique<BertNormalizer>(s); },
                        [&](const PrecompiledSpec& s) -> Made { return make_precompiled(s, where); },
                        [](const UnicodeFormSpec& s) -> Made { return make_unicode_form(s); },
                        [](const LowercaseSpec&) -> Made { return make_lowercase(); },
                        [](const StripAccentsSpec&) -> Made { return make_strip_accents(); },
                        [](const StripSpec& s) -> Made { return make_strip(s); },
                        [&](const ReplaceSpec& s) -> Made { return make_replace(s, where); },
                        [](const PrependSpec& s) -> Made { return make_prepend(s); },
                    },
                    spec);
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const PreTokenizerSpec& spec, const std::string& where) {
  using Made = std::unique_ptr<PreTokenizer>;
  return std::visit(Overloaded{
                        [](const BertPreTokenizerSpec&) -> Made { return std::make_unique<BertPreTokenizer>(); },
                        [&](const MetaspaceSpec& s) -> Made { return make_metaspace(s, where); },
                        [&](const ByteLevelSpec& s) -> Made { return make_byte_level(s, where); },
                        [&](const SplitSpec& s) -> Made { return make_split(s, where); },
                        [](const DigitsSpec& s) -> Made { return make_digits(s); },
                        [](const WhitespaceSpec&) -> Made { return make_whitespace(); },
                        [](const WhitespaceSplitSpec&) -> Made { return make_whitespace_split(); },
                        [](const PunctuationSpec& s) -> Made { return make_punctuation(s); },
                    },
                    spec);
}

std::string freeze_piece_model(const PieceModelSpec& spec, const std::string& where) {
  return std::visit(Overloaded{
                        [&](const WordPieceSpec& s) { return WordPiece::freeze(s, where); },
                        [&](const UnigramSpec& s) { return freeze_unigram(s, where); },
                        [&](const SpmSpec& s) { return freeze_spm(s, where); },
                        [&](const BpeSpec& s) { return freeze_bpe(s, where); },
                    },
                    spec);
}

std::unique_ptr<PieceModel> open_piece_model(const PieceModelSpec& settings, const std::string& where, FlatReader* frozen) {
  using Made = std::unique_ptr<PieceModel>;
  return std::visit(Overloaded{
                        [&](const WordPieceSpec& s) -> Made { return std::make_unique<WordPieceModel>(s, frozen); },
                        [&](const UnigramSpec& s) -> Made { return open_unigram(s, where, frozen); },
                        [&](const SpmSpec&) -> Made { return open_spm(where, frozen); },
                        [&](const BpeSpec& s) -> Made { return open_bpe(s, frozen); },
                    },
                    settings);
}

}  // namespace attnviz
