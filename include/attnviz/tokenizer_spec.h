// What a model folder's tokenizer files say, free of their format: formats reads it, text builds a Tokenizer from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnviz {

// BERT's normaliser: control characters dropped, CJK spaced out, accents stripped, lower-cased.
struct BertNormalizerSpec {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  std::optional<bool> strip_accents;  // unset: as `lowercase`
  bool lowercase = true;
};

// Greedy longest-match-first pieces of a word (Schuster & Nakajima 2012; Devlin et al. 2019).
struct WordPieceSpec {
  std::vector<std::string> vocab;  // [V], the index is the id; empty where the numbering has a hole
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t max_characters_per_word = 100;
};

// A token looked for before words are split: in the raw text, or (`normalized`) in its own normalised form in the normalised text.
struct AddedTokenSpec {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = false;
};

// One element of the template around the text: a special token, or the first or second text.
struct TemplatePiece {
  enum class What : std::uint8_t { kSpecial, kFirst, kSecond };
  What what = What::kSpecial;
  std::string token;         // kSpecial
  std::int32_t id = 0;       // kSpecial
  std::int32_t segment = 0;  // row of the token type embedding ("type_id")
};

struct TokenizerSpec {
  std::string where;  // file it was read from, for messages
  BertNormalizerSpec normalizer;
  WordPieceSpec word_piece;
  std::vector<AddedTokenSpec> added_tokens;
  std::vector<TemplatePiece> single;  // "[CLS] first [SEP]"
  std::vector<TemplatePiece> pair;    // "[CLS] first [SEP] second [SEP]"
};

}  // namespace attnviz
