// Code points that the reference tokenizers library and utf8proc 2.8 see differently; unicode.cpp lays them over utf8proc's
// answers. Made by tests/reference/tokenizer_unicode.py; checked over all code points by tests/parity/tokenizer.
#pragma once

#include <cstdint>
#include <span>

namespace attnviz {

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;  // inclusive
};

struct LowerShift {
  char32_t first = 0;
  char32_t last = 0;       // inclusive
  std::int32_t shift = 0;  // added to a code point to lower it
};

// Each sorted by code point, without overlap.
extern const std::span<const CodePointRange> kKept;             // control or format by utf8proc, kept by the reference
extern const std::span<const CodePointRange> kMark;             // nonspacing marks of the reference only
extern const std::span<const CodePointRange> kNotMark;          // nonspacing marks of utf8proc only
extern const std::span<const CodePointRange> kPunctuation;      // punctuation of the reference only
extern const std::span<const CodePointRange> kNotPunctuation;   // punctuation of utf8proc only
extern const std::span<const CodePointRange> kWordCharacter;    // word characters of the reference only
extern const std::span<const CodePointRange> kNoClass;          // not reordered by the reference
extern const std::span<const CodePointRange> kNoDecomposition;  // not decomposed by the reference
extern const std::span<const LowerShift> kLowerShift;           // lower-cased by the reference only, or differently

}  // namespace attnviz
