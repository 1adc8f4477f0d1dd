// A model's tokenizer, independent of its file format: src/formats reads it, src/text builds a Tokenizer from it.
//
// The stages are those of the tokenizers library: added tokens are found in the raw text, the rest is normalised, added tokens are
// found in the normalised text, what is left is split into words by the pre-tokenisers, the model splits each word into pieces, and
// the template is put around the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attnviz {

// A plain text, or a regular expression as spelled in the file.
struct PatternSpec {
  std::string text;
  bool regex = false;
};

// --- Normalisers ---

// BERT's normaliser: control characters dropped, CJK spaced out, accents stripped, lower-cased.
struct BertNormalizerSpec {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  std::optional<bool> strip_accents;  // unset: as `lowercase`
  bool lowercase = true;
};

struct UnicodeFormSpec {
  enum class Form : std::uint8_t { kNfc, kNfd, kNfkc, kNfkd };
  Form form = Form::kNfc;
};

struct LowercaseSpec {};
struct StripAccentsSpec {};  // drops nonspacing marks; does not decompose by itself

// Removes white space at the ends.
struct StripSpec {
  bool left = true;
  bool right = true;
};

struct ReplaceSpec {
  PatternSpec pattern;
  std::string content;
};

// Put before a text that is not empty.
struct PrependSpec {
  std::string text;
};

// SentencePiece's normalisation rules, as a .model file stores them.
struct PrecompiledSpec {
  std::string charsmap;
};

using NormalizerSpec = std::variant<BertNormalizerSpec, UnicodeFormSpec, LowercaseSpec, StripAccentsSpec, StripSpec, ReplaceSpec,
                                    PrependSpec, PrecompiledSpec>;

// --- Pre-tokenisers ---

// What happens to the parts of the text that a pattern matches.
enum class SplitBehavior : std::uint8_t { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct BertPreTokenizerSpec {};

// Every byte becomes one printable character (GPT-2's table); before that, `use_regex` splits by GPT-2's pattern.
struct ByteLevelSpec {
  bool add_prefix_space = true;
  bool use_regex = true;
};

struct SplitSpec {
  PatternSpec pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;  // apply the behaviour to the text between the matches
};

struct DigitsSpec {
  bool individual = false;
};

// Replaces white space by `replacement`, which begins a word.
struct MetaspaceSpec {
  enum class Prepend : std::uint8_t { kAlways, kFirst, kNever };
  std::string replacement = "\xE2\x96\x81";  // U+2581
  Prepend prepend = Prepend::kAlways;
  bool split = true;
};

struct WhitespaceSpec {};       // splits into words (\w+) and runs of other marks
struct WhitespaceSplitSpec {};  // splits at white space, and removes it

struct PunctuationSpec {
  SplitBehavior behavior = SplitBehavior::kIsolated;
};

using PreTokenizerSpec = std::variant<BertPreTokenizerSpec, ByteLevelSpec, SplitSpec, DigitsSpec, MetaspaceSpec, WhitespaceSpec,
                                      WhitespaceSplitSpec, PunctuationSpec>;

// --- Models ---

// Greedy longest-match-first pieces of a word (Schuster & Nakajima 2012; Devlin et al. 2019).
struct WordPieceSpec {
  std::vector<std::string> vocab;  // [V], the index is the id; "" for ids that are not used
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t max_characters_per_word = 100;
};

// Two neighbouring pieces that may be joined.
struct BpeMerge {
  std::string pair;      // the left piece, then the right one
  std::size_t left = 0;  // bytes of the left one
};

inline BpeMerge make_merge(std::string_view left, std::string_view right) {
  std::string pair(left);
  pair += right;
  return {std::move(pair), left.size()};
}

// Byte-pair encoding (Sennrich et al. 2016): neighbouring pieces of a word are joined in the order of the merges.
struct BpeSpec {
  std::vector<std::string> vocab;      // [V], as in WordPieceSpec
  std::vector<BpeMerge> merges;        // highest priority first
  std::optional<std::string> unknown;  // unset: characters that the vocabulary lacks are dropped
  bool fuse_unknown = false;           // neighbouring unknown characters are one token
  bool byte_fallback = false;          // "<0xE2>" for the bytes of an unknown character
  bool ignore_merges = false;          // a word that is in the vocabulary is one token
  std::string continuing_prefix{};
  std::string end_of_word_suffix{};
};

struct UnigramPiece {
  std::string text;
  double score = 0;  // log probability
};

// The most probable segmentation (Kudo 2018).
struct UnigramSpec {
  std::vector<UnigramPiece> pieces;  // [V], the index is the id
  std::optional<std::int32_t> unknown_id;
  bool byte_fallback = false;
};

struct SpmPiece {
  enum class Type : std::uint8_t {
    kNormal = 1,
    kUnknown,
    kControl,
    kUserDefined,
    kUnused,
    kByte
  };  // as .model and GGUF number them
  std::string text;
  float score = 0;
  Type type = Type::kNormal;
};

// SentencePiece's own BPE, which joins by score and has no list of merges (.model files of BPE, GGUF's "llama" kind). The text must
// have U+2581 for spaces: see make_spm_tokenizer_spec in formats/tokenizer/sentencepiece_model.h. Text becomes normal, unused
// (taken apart again) and user-defined pieces (never joined), byte pieces where a character has none, else the unknown piece.
struct SpmSpec {
  std::vector<SpmPiece> pieces;  // [V], the index is the id; scores are finite
  bool drop_unknown = false;     // drop a character that neither byte pieces nor an unknown piece can represent
};

using PieceModelSpec = std::variant<WordPieceSpec, BpeSpec, UnigramSpec, SpmSpec>;

// --- Around the model ---

// A token that is found before words are split: in the raw text, or (`normalized`) in its own normalised form in the normalised
// text.
struct AddedTokenSpec {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = false;
};

// One element of the template around the text: a special token, or the first or second text. A format that only has flags for BOS
// and EOS is read into the same elements.
struct TemplatePiece {
  enum class What : std::uint8_t { kSpecial, kFirst, kSecond };
  What what = What::kSpecial;
  std::string token;         // kSpecial
  std::int32_t id = 0;       // kSpecial
  std::int32_t segment = 0;  // row of the token type embedding ("type_id")
};

struct TokenizerSpec {
  std::string where;                             // the file it was read from, for messages
  std::vector<NormalizerSpec> normalizers;       // in order; none: the text is not changed
  std::vector<PreTokenizerSpec> pre_tokenizers;  // in order; none: the whole text is one word
  PieceModelSpec model;
  std::vector<AddedTokenSpec> added_tokens;
  std::vector<TemplatePiece> single;  // "[CLS] first [SEP]"
  std::vector<TemplatePiece> pair;    // "[CLS] first [SEP] second [SEP]"
  bool trim_offsets = false;          // offsets of a typed token leave out the white space that "lstrip" includes
};

}  // namespace attnviz
