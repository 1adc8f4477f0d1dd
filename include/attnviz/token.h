// Tokens with their place in the user's text, and the interface of every tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

enum class TokenKind : std::uint8_t {
  kWord,          // a whole word, the beginning of one, or a mark
  kContinuation,  // a later piece, which the vocabulary spells as one ("##ing")
  kUnknown,       // the model's unknown token stands for this stretch of text
  kSpecial,       // [CLS], [SEP], [MASK], ...: added by the model's template or typed by the user
  kBytes,         // some bytes of a character that several tokens share; its place is the whole character
};

std::string_view token_kind_name(TokenKind kind);  // "word", "continuation", "unknown", "special", "bytes"

struct Token {
  std::int32_t id = 0;    // row of the embedding table; -1 if unknown
  std::string text;       // what the user wrote there (text[begin, end)); a special token's own name where nothing was written;
                          // bytes of a shared character as "<0xE2>"
  std::size_t begin = 0;  // byte offsets into the segment's text, on character boundaries; begin == end for added special tokens
  std::size_t end = 0;
  TokenKind kind = TokenKind::kWord;
  std::int32_t word = -1;                 // index of the word this belongs to, counting through all segments; -1 for special tokens
  std::int32_t segment = 0;               // 0 for the first text, 1 for the second
  std::optional<std::int32_t> type_id{};  // row of the token type embedding, if the template sets one other than `segment`
  std::optional<std::size_t> position{};  // this token's index in its text, if the list does not hold every token
  bool generated = false;                 // by the model, after the user's text
  std::size_t n_tokens = 1;  // how many tokens, from `position` on, it stands for (a tile, or a word of several pieces)
};

// One text or a pair, as the user typed it (valid UTF-8).
struct TextInput {
  std::string text;
  std::optional<std::string> text2;
};

// The first text, and the second of a pair.
inline std::vector<std::string> texts_of(const TextInput& input) {
  std::vector<std::string> texts{input.text};
  if (input.text2) texts.push_back(*input.text2);
  return texts;
}

struct EncodeOptions {
  bool plain = false;   // treat special tokens typed in the text as plain text
  bool no_bos = false;  // leave out the template's special tokens before the first text
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // All tokens of the input with the model's special tokens around them. Never truncates.
  // Throws Error(kInput) for invalid UTF-8 (with the byte offset).
  virtual std::vector<Token> encode(const TextInput& input, const EncodeOptions& options = {}) const = 0;

  // Cuts `tokens` (from encode) to at most `limit`: removes content tokens and keeps the template's special tokens. In a pair the
  // longer segment loses its last tokens first, like the reference's "longest_first". Throws Error(kInput) if not even the special
  // tokens fit.
  virtual std::vector<Token> truncate(std::vector<Token> tokens, std::size_t limit) const = 0;

  // Makes tokens of `ids`, which continue *text (it may be empty), and appends what they spell to *text. `before` are the tokens of
  // *text so far. Throws Error(kBug) for an id that is not below n_vocab().
  virtual std::vector<Token> decode_after(std::string* text, std::span<const Token> before,
                                          std::span<const std::int32_t> ids) const = 0;

  virtual std::size_t n_vocab() const = 0;                         // ids are below this
  virtual std::string_view token_text(std::int32_t id) const = 0;  // the vocabulary's own spelling ("##ing")
};

// Several token sequences end to end, without padding: sequence b is ids[offsets[b], offsets[b+1]).
struct TokenBatch {
  std::vector<std::int32_t> ids;        // [sum T]
  std::vector<std::int32_t> segments;   // [sum T]
  std::vector<std::size_t> offsets{0};  // [B + 1], offsets[0] == 0

  void append(std::span<const Token> tokens);
  std::size_t n_sequences() const { return offsets.size() - 1; }
  std::size_t n_tokens() const { return ids.size(); }
  std::size_t n_tokens_of(std::size_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
};

}  // namespace attnviz
