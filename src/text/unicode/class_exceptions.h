// Code points that the reference tokenizers library classes otherwise than PCRE2 10.42 (regular expressions) and utf8proc 2.8 do;
// unicode.cpp lays them over the libraries' answers. Made by tests/reference/tokenizer_classes.py; checked over all code points by
// tests/parity/tokenizer.
#pragma once

#include <span>

#include "text/unicode/unicode_exceptions.h"

namespace attnviz {

struct StandIn {
  char32_t first = 0;
  char32_t last = 0;  // inclusive
  char32_t value = 0;
};

// Each sorted by code point, without overlap.
extern const std::span<const StandIn> kStandIn;                 // matched as `value` by regular expressions
extern const std::span<const CodePointRange> kNumeric;          // numeric for the reference only
extern const std::span<const CodePointRange> kAnyMark;          // marks of any kind for the reference only
extern const std::span<const CodePointRange> kNotAnyMark;       // marks of any kind for utf8proc only
extern const std::span<const CodePointRange> kNoCompatibility;  // no compatibility decomposition in the reference

}  // namespace attnviz
