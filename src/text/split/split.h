// Splits a text at the stretches that something finds, as the reference's five behaviours do.
// Tested in tests/unit/text/split/pre_tokenizers_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <functional>
#include <vector>

#include "text/normalize/aligned_text.h"

namespace attnviz {

// A stretch, and whether it is one that was looked for.
struct Stretch {
  CharRange range;
  bool match = false;
};

// The matches (sorted, apart) and what is between them; together they cover [0, size).
std::vector<Stretch> cover(const std::vector<CharRange>& matches, std::size_t size);

// A match for every character for which `test` holds.
std::vector<CharRange> find_characters(AlignedView text, const std::function<bool(char32_t)>& test);

// Places of a plain text; none for an empty one.
std::vector<CharRange> find_literal(AlignedView text, const std::u32string& literal);

// What remains, in order; some may be empty.
std::vector<CharRange> split_stretches(const std::vector<Stretch>& stretches, SplitBehavior behavior);

}  // namespace attnviz
