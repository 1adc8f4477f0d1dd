// See gguf_tokenizer.h.
#include "formats/tokenizer/gguf_tokenizer.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "formats/tokenizer/sentencepiece_model.h"

namespace attnviz {
namespace {

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kScores = "tokenizer.ggml.scores";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr std::string_view kLowLine = "\xE2\x96\x81";  // U+2581, SentencePiece's space

// Numbered as in tokenizer.ggml.token_type.
constexpr int kControl = 3;
constexpr int kUserDefined = 4;
constexpr int kByte = 6;

// The patterns by which models split a text into words, as spelled in their tokenizer.json.
constexpr const char* kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";

SplitSpec isolate(const char* regex) { return {{regex, true}, SplitBehavior::kIsolated, false}; }

struct Lists {
  std::vector<std::string_view> tokens;  // [V]
  std::vector<double> types;             // [V] or empty
};

Lists read_lists(const GgufMetadata& metadata) {
  Lists lists{metadata.texts(kTokens), metadata.numbers(kTypes)};
  if (lists.tokens.empty()) metadata.fail(kTokens, "is missing or empty; expected the vocabulary; the file holds no tokenizer");
  if (!lists.types.empty() && lists.types.size() != lists.tokens.size()) {
    metadata.fail(kTypes,
                  fmt::format("expected {} entries, one for each token, found {}", lists.tokens.size(), lists.types.size()));
  }
  for (const std::string_view token : lists.tokens) {
    if (find_invalid_utf8(token)) metadata.fail(kTokens, fmt::format("the token {} is not UTF-8", quote_text(token)));
  }
  return lists;
}

bool is_byte_name(std::string_view token) {  // "<0x0A>"
  return token.size() == 6 && token.starts_with("<0x") && token.ends_with('>');
}

std::vector<std::string> strings_of(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

// Control tokens and those that a user added are found in the text before it is split.
void add_marked_tokens(const Lists& lists, TokenizerSpec* spec) {
  for (std::size_t id = 0; id < lists.types.size(); ++id) {
    const bool is_control = lists.types[id] == kControl;
    if ((!is_control && lists.types[id] != kUserDefined) || lists.tokens[id].empty()) continue;
    AddedTokenSpec token;
    token.id = static_cast<std::int32_t>(id);
    token.content = lists.tokens[id];
    token.special = is_control;
    spec->added_tokens.push_back(std::move(token));
  }
}

// The special tokens around a text. Ids without a key have none.
class Template {
 public:
  Template(const GgufMetadata& metadata, const Lists& lists) : metadata_(metadata), lists_(lists) {}

  std::size_t checked_id(std::string_view key, std::size_t fallback) const {
    const std::size_t id = metadata_.size(key, fallback);
    if (id >= lists_.tokens.size()) {
      metadata_.fail(key, fmt::format("expected an id below {}, the number of tokens, found {}", lists_.tokens.size(), id));
    }
    return id;
  }

  TemplatePiece special(std::string_view key, std::size_t fallback, std::int32_t segment) const {
    const std::size_t id = checked_id(key, fallback);
    return {TemplatePiece::What::kSpecial, std::string(lists_.tokens[id]), static_cast<std::int32_t>(id), segment};
  }

  // [BOS] first [EOS] [BOS] second [EOS]
  void write(bool add_bos, bool add_eos, TokenizerSpec* spec) const {
    const auto add = [&](TemplatePiece::What text, std::vector<TemplatePiece>* pieces) {
      if (add_bos) pieces->push_back(special("tokenizer.ggml.bos_token_id", 1, 0));
      pieces->push_back({text, {}, 0, 0});
      if (add_eos) pieces->push_back(special("tokenizer.ggml.eos_token_id", 2, 0));
    };
    add(TemplatePiece::What::kFirst, &spec->single);
    add(TemplatePiece::What::kFirst, &spec->pair);
    add(TemplatePiece::What::kSecond, &spec->pair);
  }

 private:
  const GgufMetadata& metadata_;
  const Lists& lists_;
};

// The splitting that "pre" names. True: a word that is an entry of the vocabulary is that entry, regardless of the merges.
bool set_pre_tokenizers(const GgufMetadata& metadata, TokenizerSpec* spec) {
  constexpr const char* kPre = "tokenizer.ggml.pre";
  const std::string pre = metadata.text(kPre, "default");
  const bool prefix_space = metadata.flag("tokenizer.ggml.add_space_prefix", false);
  auto& steps = spec->pre_tokenizers;
  if (pre == "gpt-2" || pre == "phi-2") {
    steps = {ByteLevelSpec{prefix_space, true}};
  } else if (pre == "olmo") {
    spec->normalizers = {UnicodeFormSpec{UnicodeFormSpec::Form::kNfc}};
    steps = {ByteLevelSpec{prefix_space, true}};
  } else if (pre == "smollm" || pre == "starcoder" || pre == "refact" || pre == "codeshell") {
    steps = {DigitsSpec{true}, ByteLevelSpec{prefix_space, true}};
  } else if (pre == "llama-bpe" || pre == "llama-v3" || pre == "llama3") {
    steps = {isolate(kLlama3Pattern), ByteLevelSpec{prefix_space, false}};
    return true;
  } else if (pre == "qwen2") {
    spec->normalizers = {UnicodeFormSpec{UnicodeFormSpec::Form::kNfc}};
    steps = {isolate(kQwen2Pattern), ByteLevelSpec{prefix_space, false}};
  } else if (pre == "default") {  // of files that predate the key: marks, GPT-2's words, digits by threes, as llama.cpp splits them
    steps = {isolate(R"([\p{P}\$\+<=>\^~\|]+)"), isolate(kGpt2Pattern), isolate(R"(\p{N}+)"), isolate("[0-9][0-9][0-9]"),
             ByteLevelSpec{prefix_space, false}};
  } else {
    metadata.fail(kPre,
                  fmt::format("{} is not supported; expected one of codeshell, default, gpt-2, llama-bpe, llama3, llama-v3, olmo, "
                              "phi-2, qwen2, refact, smollm, starcoder",
                              quote_text(pre)));
  }
  return false;
}

void read_byte_level(const GgufMetadata& metadata, const Lists& lists, TokenizerSpec* spec) {
  BpeSpec bpe;
  bpe.ignore_merges = set_pre_tokenizers(metadata, spec);
  const bool is_llama3 = bpe.ignore_merges;
  bpe.vocab = strings_of(lists.tokens);
  const auto merges = metadata.texts(kMerges);
  if (merges.empty()) metadata.fail(kMerges, "is missing or empty; expected the merges of a byte-level vocabulary");
  bpe.merges.reserve(merges.size());
  for (const std::string_view merge : merges) {
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size()) {
      metadata.fail(kMerges, fmt::format("expected two pieces with a space between them, found {}", quote_text(merge)));
    }
    bpe.merges.push_back(make_merge(merge.substr(0, space), merge.substr(space + 1)));
  }
  spec->model = std::move(bpe);
  Template(metadata, lists)
      .write(metadata.flag("tokenizer.ggml.add_bos_token", is_llama3), metadata.flag("tokenizer.ggml.add_eos_token", false), spec);
}

// The pieces as in a .model file. Without types, they follow from names and ids.
std::vector<SpmPiece> sentence_pieces(const GgufMetadata& metadata, const Lists& lists) {
  using Type = SpmPiece::Type;
  const std::vector<double> scores = metadata.numbers(kScores);
  if (scores.size() != lists.tokens.size()) {
    metadata.fail(kScores, fmt::format("expected {} entries, one for each token, found {}", lists.tokens.size(), scores.size()));
  }
  const std::size_t unknown_id = Template(metadata, lists).checked_id("tokenizer.ggml.unknown_token_id", 0);
  std::vector<SpmPiece> pieces;
  pieces.reserve(lists.tokens.size());
  for (std::size_t id = 0; id < lists.tokens.size(); ++id) {
    if (!(std::abs(scores[id]) <= std::numeric_limits<float>::max())) {
      metadata.fail(kScores, fmt::format("the score of token {} is not a finite number", id));
    }
    SpmPiece piece{std::string(lists.tokens[id]), static_cast<float>(scores[id])};
    if (lists.types.empty()) {
      if (is_byte_name(piece.text)) piece.type = Type::kByte;
      if (id == unknown_id) piece.type = Type::kUnknown;
    } else if (lists.types[id] >= 1 && lists.types[id] <= kByte) {
      piece.type = static_cast<Type>(static_cast<int>(lists.types[id]));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

TokenizerSpec read_sentence_pieces(const GgufMetadata& metadata, const Lists& lists, const std::string& where) {
  const Template ends(metadata, lists);
  SpmVocabulary vocabulary;
  vocabulary.pieces = sentence_pieces(metadata, lists);
  vocabulary.add_space_prefix = metadata.flag("tokenizer.ggml.add_space_prefix", true);
  vocabulary.remove_extra_whitespaces = metadata.flag("tokenizer.ggml.remove_extra_whitespaces", false);
  const auto end = [&](const char* flag, bool fallback, const char* key, std::size_t id) -> std::optional<std::int32_t> {
    if (!metadata.flag(flag, fallback)) return std::nullopt;
    return static_cast<std::int32_t>(ends.checked_id(key, id));
  };
  vocabulary.bos_id = end("tokenizer.ggml.add_bos_token", true, "tokenizer.ggml.bos_token_id", 1);
  vocabulary.eos_id = end("tokenizer.ggml.add_eos_token", false, "tokenizer.ggml.eos_token_id", 2);
  return make_spm_tokenizer_spec(std::move(vocabulary), where);
}

// "_the" begins a word and "ing" continues one, where BERT's own vocabulary has "the" and "##ing"; "[CLS]" is itself.
std::string word_piece_of(std::string_view token) {
  if (token.starts_with(kLowLine)) return std::string(token.substr(kLowLine.size()));
  if (token.starts_with('[') && token.ends_with(']')) return std::string(token);
  return "##" + std::string(token);
}

void read_word_pieces(const GgufMetadata& metadata, const Lists& lists, TokenizerSpec* spec) {
  WordPieceSpec word_piece;
  bool has_capitals = false;
  for (const std::string_view token : lists.tokens) {
    word_piece.vocab.push_back(word_piece_of(token));
    const bool is_word = token.starts_with(kLowLine);
    has_capitals |= is_word && std::any_of(token.begin(), token.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  }
  const Template pieces(metadata, lists);
  const bool has_cls = metadata.has("tokenizer.ggml.cls_token_id");
  const char* cls = has_cls ? "tokenizer.ggml.cls_token_id" : "tokenizer.ggml.bos_token_id";
  const char* sep = "tokenizer.ggml.seperator_token_id";  // spelled so in the files
  word_piece.unknown = word_piece_of(pieces.special("tokenizer.ggml.unknown_token_id", 100, 0).token);
  spec->model = std::move(word_piece);
  BertNormalizerSpec normalizer;
  normalizer.lowercase = !has_capitals;  // not in the file, but visible in the vocabulary
  spec->normalizers = {normalizer};
  spec->pre_tokenizers = {BertPreTokenizerSpec{}};
  using What = TemplatePiece::What;
  spec->single = {pieces.special(cls, 101, 0), {What::kFirst, {}, 0, 0}, pieces.special(sep, 102, 0)};
  spec->pair = spec->single;
  spec->pair.push_back({What::kSecond, {}, 0, 1});
  spec->pair.push_back(pieces.special(sep, 102, 1));
}

}  // namespace

TokenizerSpec read_gguf_tokenizer(const GgufMetadata& metadata) {
  constexpr const char* kModel = "tokenizer.ggml.model";
  const std::string kind = metadata.text(kModel);
  TokenizerSpec spec;
  spec.where = metadata.where() + ": tokenizer";
  if (kind != "gpt2" && kind != "llama" && kind != "bert") {
    metadata.fail(kModel, fmt::format("{} is not supported; expected gpt2, llama or bert", quote_text(kind)));
  }
  const Lists lists = read_lists(metadata);
  if (kind == "llama") return read_sentence_pieces(metadata, lists, spec.where);
  add_marked_tokens(lists, &spec);
  if (kind == "gpt2") read_byte_level(metadata, lists, &spec);
  if (kind == "bert") read_word_pieces(metadata, lists, &spec);
  return spec;
}

}  // namespace attnviz
