// See unicode.h.
#include "text/unicode/unicode.h"

#include <algorithm>

#include <utf8proc.h>

#include "text/unicode/class_exceptions.h"
#include "text/unicode/unicode_exceptions.h"

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

CodePoints decompose(char32_t c, utf8proc_option_t options) {
  CodePoints result;
  std::array<utf8proc_int32_t, 18> buffer{};
  int boundary_state = 0;
  const utf8proc_ssize_t n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), buffer.data(),
                                                     static_cast<utf8proc_ssize_t>(buffer.size()), options, &boundary_state);
  if (n < 1 || static_cast<std::size_t>(n) > buffer.size()) return {{c}, 1};
  result.size = static_cast<std::size_t>(n);
  std::transform(buffer.begin(), buffer.begin() + n, result.values.begin(),
                 [](utf8proc_int32_t value) { return static_cast<char32_t>(value); });
  return result;
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

bool is_pictographic(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
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

bool is_numeric(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const utf8proc_category_t found = category(c);
  return (found >= UTF8PROC_CATEGORY_ND && found <= UTF8PROC_CATEGORY_NO) || within(kNumeric, c);
}

bool is_any_mark(char32_t c) {
  if (c < 0x300) return false;
  const utf8proc_category_t found = category(c);
  if (found >= UTF8PROC_CATEGORY_MN && found <= UTF8PROC_CATEGORY_ME) return !within(kNotAnyMark, c);
  return within(kAnyMark, c);
}

char32_t regex_stand_in(char32_t c) {
  if (c < 0x300) return c;
  const StandIn* found = find_range(kStandIn, c);
  return found == nullptr ? c : found->value;
}

CodePoints decompose_canonically(char32_t c) {
  if (c < 0xC0 || within(kNoDecomposition, c)) return {{c}, 1};
  return decompose(c, UTF8PROC_DECOMPOSE);
}

CodePoints decompose_compatibly(char32_t c) {
  if (c < 0xA0 || within(kNoCompatibility, c)) return {{c}, 1};
  return decompose(c, static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT));
}

char32_t compose(char32_t first, char32_t second) {
  if (second < 0x300) return 0;
  utf8proc_int32_t pair[2] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  if (utf8proc_normalize_utf32(pair, 2, options) != 1) return 0;
  const auto composed = static_cast<char32_t>(pair[0]);
  return within(kNoDecomposition, composed) ? 0 : composed;
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
