// See make_tokenizer.h. The stages are the reference's: added tokens found in the raw text, the rest normalised, added tokens found
// in the normalised text, the rest split into words, words into pieces; then the template is added. Stages are behind
// interfaces (stages.h); this file handles the places, kinds and words of the tokens.
#include <attnviz/error.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/flat_bytes.h"
#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/frozen_tokenizer.h"
#include "text/make_tokenizer.h"
#include "text/models/byte_level.h"
#include "text/models/continuation.h"
#include "text/models/piece_spelling.h"
#include "text/spec_bytes.h"
#include "text/split/reader_words.h"
#include "text/stages.h"
#include "text/truncate.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

using What = TemplatePiece::What;

// One segment while it is tokenized.
struct SegmentEncoding {
  std::string_view text;
  std::int32_t segment = 0;
  std::int32_t type_id = 0;
  bool plain = false;
  std::int32_t* next_word = nullptr;
  std::vector<Token>* tokens = nullptr;
};

class PipelineTokenizer final : public Tokenizer {
 public:
  PipelineTokenizer(FlatBytes frozen, FlatReader reader, const std::string& where)
      : frozen_(std::move(frozen)), spec_(settings_of(&reader, where)), model_(open_model(&reader)) {
    for (const NormalizerSpec& stage : spec_.normalizers) normalizers_.push_back(make_normalizer(stage, spec_.where));
    for (const PreTokenizerSpec& stage : spec_.pre_tokenizers) {
      pre_tokenizers_.push_back(make_pre_tokenizer(stage, spec_.where));
      byte_level_ = byte_level_ || std::holds_alternative<ByteLevelSpec>(stage);
    }
    knows_words_ = pre_tokenizers_.size() == 1 && pre_tokenizers_[0]->knows_words();
    n_vocab_ = model_->n_vocab();
    for (const AddedTokenSpec& token : spec_.added_tokens) {
      check_added_token(token);
      added_texts_.emplace(token.id, token.content);
      n_vocab_ = std::max(n_vocab_, static_cast<std::size_t>(token.id) + 1);
    }
    check_template(spec_.single, false);
    check_template(spec_.pair, true);
    for (const bool special : {true, false}) {  // the order in which the reference looks, for tokens that are equal once normalised
      for (const AddedTokenSpec& token : spec_.added_tokens) {
        if (token.special == special) add_pattern(token);
      }
    }
  }

  std::vector<Token> encode(const TextInput& input, const EncodeOptions& options) const override {
    std::vector<Token> tokens;
    std::int32_t next_word = 0;
    std::string_view text = input.text;
    SegmentEncoding segment;
    segment.plain = options.plain;
    segment.next_word = &next_word;
    segment.tokens = &tokens;
    bool begun = false;
    for (const TemplatePiece& piece : input.text2 ? spec_.pair : spec_.single) {
      if (piece.what == What::kSpecial) {
        if (options.no_bos && !begun) continue;
        tokens.push_back(template_token(piece, segment.segment, begun ? text.size() : 0));
        continue;
      }
      begun = true;
      segment.segment = piece.what == What::kFirst ? 0 : 1;
      segment.type_id = piece.segment;
      segment.text = text = piece.what == What::kFirst ? std::string_view(input.text) : std::string_view(*input.text2);
      encode_segment(segment);
    }
    return tokens;
  }

  std::vector<Token> truncate(std::vector<Token> tokens, std::size_t limit) const override {
    return truncate_tokens(std::move(tokens), limit);
  }

  std::vector<Token> decode_after(std::string* text, std::span<const Token> before,
                                  std::span<const std::int32_t> ids) const override {
    const PieceSpelling spelling(spec_);
    std::vector<GeneratedPiece> pieces;
    for (const std::int32_t id : ids) {
      const std::string entry(token_text(id));
      const auto added = std::find_if(spec_.added_tokens.begin(), spec_.added_tokens.end(),
                                      [id](const AddedTokenSpec& token) { return token.id == id; });
      const bool is_added = added != spec_.added_tokens.end();
      const bool special = is_added && added->special;
      pieces.push_back({id, special ? "" : is_added ? entry : spelling.bytes_of(entry), entry, special});
    }
    return append_pieces(pieces, before, text);
  }

  std::size_t n_vocab() const override { return n_vocab_; }

  std::string_view token_text(std::int32_t id) const override {
    if (const auto added = added_texts_.find(id); added != added_texts_.end()) return added->second;
    if (id < 0 || static_cast<std::size_t>(id) >= n_vocab_) {
      throw Error(ErrorKind::kBug, fmt::format("token {}: is not below the vocabulary's {}", id, n_vocab_));
    }
    return static_cast<std::size_t>(id) < model_->n_vocab() ? model_->spelling(id) : std::string_view();
  }

 private:
  static TokenizerSpec settings_of(FlatReader* reader, const std::string& where) {
    TokenizerSpec settings = read_settings(reader);
    settings.where = where;
    return settings;
  }

  std::unique_ptr<PieceModel> open_model(FlatReader* reader) const {
    FlatReader tables(reader->array<std::byte>(), spec_.where);
    return open_piece_model(spec_.model, spec_.where, &tables);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {}", spec_.where, what));
  }

  // Ids past the vocabulary must be backed by entries, so that a small file cannot claim a large vocabulary.
  void check_added_token(const AddedTokenSpec& token) const {
    const std::size_t limit = model_->n_vocab() + spec_.added_tokens.size();
    if (token.id >= 0 && static_cast<std::size_t>(token.id) < limit) return;
    fail(fmt::format("the added token \"{}\" has the id {}; expected one below {} (vocabulary and added tokens)", token.content,
                     token.id, limit));
  }

  void check_template(const std::vector<TemplatePiece>& pieces, bool pair) const {
    std::vector<What> texts;
    for (const TemplatePiece& piece : pieces) {
      if (piece.what != What::kSpecial) {
        texts.push_back(piece.what);
      } else if (piece.id < 0 || static_cast<std::size_t>(piece.id) >= n_vocab_) {
        fail(fmt::format("the template's token \"{}\" has the id {}; expected one below the vocabulary's {}", piece.token, piece.id,
                         n_vocab_));
      }
    }
    const std::vector<What> expected = pair ? std::vector{What::kFirst, What::kSecond} : std::vector{What::kFirst};
    if (texts != expected) {
      fail(pair ? "the template of a pair must hold the first text once and then the second once"
                : "the template of a single text must hold it once, and no second text");
    }
  }

  void add_pattern(const AddedTokenSpec& token) {
    const AlignedText content = align_text(token.content);
    if (token.normalized) {
      in_normalized_.add(code_points(normalize(content)), &token);
    } else {
      in_raw_.add(code_points(content), &token);
    }
  }

  static std::optional<std::int32_t> type_unless(std::int32_t type_id, std::int32_t segment) {
    return type_id == segment ? std::nullopt : std::optional(type_id);
  }

  static Token template_token(const TemplatePiece& piece, std::int32_t segment, std::size_t place) {
    return {piece.id, piece.token, place, place, TokenKind::kSpecial, -1, segment, type_unless(piece.segment, segment)};
  }

  void encode_segment(const SegmentEncoding& out) const {
    if (out.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorKind::kInput,
                  fmt::format("text {}: has {} bytes; expected less than 4 GiB", out.segment + 1, out.text.size()));
    }
    if (const auto invalid = find_invalid_utf8(out.text)) {
      throw Error(
          ErrorKind::kInput,
          fmt::format("text {}: is not UTF-8 at byte {} (0x{:02X}); expected UTF-8; convert it first, for example with iconv",
                      out.segment + 1, *invalid, static_cast<unsigned char>(out.text[*invalid])));
    }
    const AlignedText raw = align_text(out.text);
    for (const auto& piece : in_raw_.split(raw, out.plain)) {
      const AlignedView part = AlignedView(raw).subspan(piece.range.begin, piece.range.end - piece.range.begin);
      if (piece.token != nullptr) {
        add_typed_token(*piece.token, part, out);
      } else {
        encode_normalized(normalize(AlignedText(part.begin(), part.end())), out);
      }
    }
  }

  void encode_normalized(const AlignedText& text, const SegmentEncoding& out) const {
    for (const auto& piece : in_normalized_.split(text, out.plain)) {
      const AlignedView part = AlignedView(text).subspan(piece.range.begin, piece.range.end - piece.range.begin);
      if (piece.token != nullptr) {
        add_typed_token(*piece.token, part, out);
      } else {
        encode_words(part, out);
      }
    }
  }

  void add_typed_token(const AddedTokenSpec& token, AlignedView part, const SegmentEncoding& out) const {
    const TokenKind kind = token.special ? TokenKind::kSpecial : TokenKind::kWord;
    const AlignedView shown = spec_.trim_offsets ? trimmed(part) : part;
    add_token(token.id, kind, token.special ? -1 : (*out.next_word)++, {shown.front().begin, shown.back().end}, out);
  }

  static AlignedView trimmed(AlignedView part) {
    while (part.size() > 1 && is_white_space(part.front().code_point)) part = part.subspan(1);
    while (part.size() > 1 && is_white_space(part.back().code_point)) part = part.first(part.size() - 1);
    return part;
  }

  AlignedText normalize(AlignedText text) const {
    for (const auto& stage : normalizers_) text = stage->normalize(std::move(text));
    return text;
  }

  std::vector<WordText> pre_tokenize(AlignedView text) const {
    std::vector<WordText> words(1);
    words[0].text.assign(text.begin(), text.end());
    for (const auto& stage : pre_tokenizers_) {
      std::vector<WordText> next;
      for (WordText& word : words) stage->split(std::move(word.text), &next);
      std::erase_if(next, [](const WordText& word) { return word.text.empty(); });
      words = std::move(next);
    }
    return words;
  }

  void encode_words(AlignedView text, const SegmentEncoding& out) const {
    std::vector<PieceModel::Piece> pieces;
    const std::size_t n_before = out.tokens->size();
    for (const WordText& word : pre_tokenize(text)) {
      pieces.clear();
      model_->encode(word.text, &pieces);
      if (knows_words_ && !word.continues_word) ++*out.next_word;
      for (std::size_t i = 0; i < pieces.size(); ++i) add_piece(pieces[i], word.text, i > 0, out);
    }
    if (!knows_words_) number_reader_words(out.text, std::span(*out.tokens).subspan(n_before), out.next_word);
  }

  void add_piece(const PieceModel::Piece& piece, AlignedView word, bool continues, const SegmentEncoding& out) const {
    using PieceKind = PieceModel::PieceKind;
    TokenKind kind = continues ? TokenKind::kContinuation : TokenKind::kWord;
    if (piece.kind == PieceKind::kUnknown) kind = TokenKind::kUnknown;
    const AlignedView part = word.subspan(piece.range.begin, piece.range.end - piece.range.begin);
    Place place = part.empty() ? empty_place(word, piece.range.begin) : Place{part.front().begin, part.back().end};
    if (!knows_words_) place = without_space(out.text, place);
    add_token(piece.id, kind, knows_words_ ? *out.next_word - 1 : -1, place, out);
    if (piece.kind == PieceKind::kByte) {
      out.tokens->back().kind = TokenKind::kBytes;
      out.tokens->back().text = model_->spelling(piece.id);
    } else if (byte_level_ && piece.kind == PieceKind::kText) {
      if (auto text = text_of_broken_bytes(part)) {
        out.tokens->back().kind = TokenKind::kBytes;
        out.tokens->back().text = std::move(*text);
      }
    }
  }

  static Place empty_place(AlignedView word, std::size_t position) {
    if (word.empty()) return {};
    const std::size_t place = position < word.size() ? word[position].begin : word.back().end;
    return {place, place};
  }

  static void add_token(std::int32_t id, TokenKind kind, std::int32_t word, Place place, const SegmentEncoding& out) {
    out.tokens->push_back({id, std::string(out.text.substr(place.begin, place.end - place.begin)), place.begin, place.end, kind,
                           word, out.segment, type_unless(out.type_id, out.segment)});
  }

  FlatBytes frozen_;    // the model's vocabulary is in it
  TokenizerSpec spec_;  // all but the vocabulary
  std::unique_ptr<PieceModel> model_;
  std::vector<std::unique_ptr<Normalizer>> normalizers_;
  std::vector<std::unique_ptr<PreTokenizer>> pre_tokenizers_;
  bool byte_level_ = false;   // the characters that the model sees are bytes
  bool knows_words_ = false;  // see PreTokenizer
  AddedTokenFinder in_raw_;
  AddedTokenFinder in_normalized_;
  std::map<std::int32_t, std::string_view> added_texts_;
  std::size_t n_vocab_ = 0;
};

}  // namespace

std::string freeze_tokenizer(const TokenizerSpec& spec) {
  const std::string tables = freeze_piece_model(spec.model, spec.where);
  FlatWriter out;
  write_settings(spec, &out);
  out.array(std::as_bytes(std::span<const char>(tables)));
  return out.take();
}

std::unique_ptr<Tokenizer> open_tokenizer(FlatBytes frozen, const std::string& where) {
  const FlatReader reader(frozen.bytes, where);
  return std::make_unique<PipelineTokenizer>(std::move(frozen), reader, where);
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerSpec& spec) {
  return open_tokenizer(FlatBytes::of(freeze_tokenizer(spec)), spec.where);
}

}  // namespace attnviz
