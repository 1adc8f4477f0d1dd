// See reader_words.h.
#include "text/split/reader_words.h"

#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019; }

// The character before `position`, 0 at the beginning; *position moves to its start.
char32_t step_back(std::string_view text, std::size_t* position) {
  if (*position == 0) return 0;
  *position = utf8_begin(text, *position - 1);
  return decode_utf8(text, *position).code_point;
}

char32_t char_at(std::string_view text, std::size_t position) {
  return position < text.size() ? decode_utf8(text, position).code_point : 0;
}

bool is_word_part(char32_t c) { return is_word_character(c) && !is_bert_punctuation(c) && !is_chinese(c); }

bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

// Skin tones, and the letters that make a region's flag of a black one.
bool changes_emoji(char32_t c) { return (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F); }

// Two flag letters are one flag: is there an odd number of them before `position`? So many flags in a row are not told apart that
// looking back would take long.
bool splits_flag(std::string_view text, std::size_t position) {
  constexpr int kFarthest = 200;
  int n_before = 0;
  while (n_before < kFarthest && is_flag_letter(step_back(text, &position))) ++n_before;
  return n_before % 2 == 1;
}

// Does a word go on across `position`?
bool joins(std::string_view text, std::size_t position) {
  std::size_t start = position;
  const char32_t before = step_back(text, &start);
  const Utf8Char next = position < text.size() ? decode_utf8(text, position) : Utf8Char();
  const char32_t after = next.code_point;
  if (before == 0 || after == 0 || is_white_space(before) || is_white_space(after)) return false;
  if (is_nonspacing_mark(after) || after == 0x200D || changes_emoji(after)) return true;  // belongs to what it follows
  if (before == 0x200D && is_pictographic(after)) return true;
  if (is_flag_letter(after)) return splits_flag(text, position);
  if (is_word_part(before) && is_word_part(after)) return true;
  if (is_apostrophe(after)) return is_word_part(before) && is_word_part(char_at(text, position + next.length));
  return is_apostrophe(before) && is_word_part(after) && is_word_part(step_back(text, &start));
}

}  // namespace

Place without_space(std::string_view text, Place place) {
  Place inner = place;
  while (inner.begin < inner.end) {
    const Utf8Char c = decode_utf8(text, inner.begin);
    if (!is_white_space(c.code_point)) break;
    inner.begin += c.length;
  }
  if (inner.begin >= inner.end) return place;
  for (std::size_t end = inner.end; is_white_space(step_back(text, &end));) inner.end = end;
  return inner;
}

void number_reader_words(std::string_view text, std::span<Token> tokens, std::int32_t* next_word) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    bool goes_on = false;
    if (i > 0) {
      const Token& last = tokens[i - 1];
      const bool shares_character = token.begin < last.end;
      const bool only_a_prefix = last.begin == last.end;  // the space that a model puts in front of a text
      goes_on = shares_character || only_a_prefix || (token.begin == last.end && joins(text, token.begin));
    }
    if (!goes_on) ++*next_word;
    token.word = *next_word - 1;
    if (token.kind == TokenKind::kWord && goes_on) token.kind = TokenKind::kContinuation;
    if (token.kind == TokenKind::kContinuation && !goes_on) token.kind = TokenKind::kWord;
  }
}

}  // namespace attnviz
