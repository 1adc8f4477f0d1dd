// See unicode.h.
#include "text/unicode.h"

#include <utf8proc.h>

#include <algorithm>

#include "text/unicode_exceptions.h"

namespace attnviz {
namespace {

template <typename Range>
const Range* find_range(std::span<const Range> ranges, char32_t c) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), c, [](char32_t x, const Range& range) { return x < range.first; });
  if (after == ranges.begin()) return nullptr;
  const Range& range = *(after - 1);
  return c <= range.last ? &range : nullptr;
}

bool within(std::span<const CodePointRange> ranges, char32_t c) { return find_range(ranges, c) != nullptr; }

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_ascii_letter_or_digit(char32_t c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

// Letters by their Other_Alphabetic property: circled and squared Latin letters, which are symbols by category.
bool is_enclosed_letter(char32_t c) {
  static constexpr CodePointRange kRanges[] = {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
  return within(kRanges, c);
}

}  // namespace

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_cleaned_away(char32_t c) {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  if (c == 0xFFFD) return true;
  const utf8proc_category_t found = category(c);
  const bool other = found == UTF8PROC_CATEGORY_CC || found == UTF8PROC_CATEGORY_CF || found == UTF8PROC_CATEGORY_CO;
  return other && !within(kKept, c);
}

bool is_chinese(char32_t c) {
  // U+2B820..U+2B91F (part of extension E) is left out by the reference, so it is here.
  static constexpr CodePointRange kRanges[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
                                               {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return c >= 0x3400 && within(kRanges, c);
}

bool is_nonspacing_mark(char32_t c) {
  if (c < 0x300) return false;
  if (category(c) == UTF8PROC_CATEGORY_MN) return !within(kNotMark, c);
  return within(kMark, c);
}

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) return c > 0x20 && c < 0x7F && !is_ascii_letter_or_digit(c);
  const utf8proc_category_t found = category(c);
  if (found >= UTF8PROC_CATEGORY_PC && found <= UTF8PROC_CATEGORY_PO) return !within(kNotPunctuation, c);
  return within(kPunctuation, c);
}

bool is_word_character(char32_t c) {
  if (c < 0x80) return c == '_' || is_ascii_letter_or_digit(c);
  const utf8proc_category_t found = category(c);
  if (found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_NL) return true;  // letters, marks, digits, letter numbers
  const bool joiner = c == 0x200C || c == 0x200D;
  return found == UTF8PROC_CATEGORY_PC || joiner || is_enclosed_letter(c) || within(kWordCharacter, c);
}

bool is_letter_or_digit(char32_t c) {
  if (c < 0x80) return is_ascii_letter_or_digit(c);
  const utf8proc_category_t found = category(c);
  return (found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_LO) ||
         (found >= UTF8PROC_CATEGORY_ND && found <= UTF8PROC_CATEGORY_NO);
}

int canonical_combining_class(char32_t c) {
  if (c < 0x300) return 0;
  const int found = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  return found != 0 && within(kNoClass, c) ? 0 : found;
}

CodePoints decompose_canonically(char32_t c) {
  if (c < 0xC0 || within(kNoDecomposition, c)) return {{c}, 1};
  utf8proc_int32_t buffer[4];
  int boundary_state = 0;
  const utf8proc_ssize_t n =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), buffer, 4, UTF8PROC_DECOMPOSE, &boundary_state);
  if (n < 1 || n > 4) return {{c}, 1};  // Unicode has no canonical decomposition longer than four
  CodePoints result;
  result.size = static_cast<std::size_t>(n);
  std::transform(buffer, buffer + n, result.values.begin(), [](utf8proc_int32_t value) { return static_cast<char32_t>(value); });
  return result;
}

CodePoints lower_case(char32_t c) {
  if (c < 0x80) return {{c >= 'A' && c <= 'Z' ? c + 0x20 : c}, 1};
  if (c == 0x130) return {{'i', 0x307}, 2};
  if (const LowerShift* found = find_range(kLowerShift, c)) {
    return {{static_cast<char32_t>(static_cast<std::int32_t>(c) + found->shift)}, 1};
  }
  return {{static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)))}, 1};
}

}  // namespace attnviz
