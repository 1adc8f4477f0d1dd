// BERT's pre-tokeniser: splits normalised text at white space, and makes every punctuation character a piece of its own; and which
// of those pieces are one word for a reader.
//
// Words are the pieces, except that an apostrophe (' or U+2019) directly between two letters or digits joins its neighbours, as
// rules WB6 and WB7 of Unicode's word segmentation (UAX #29) have it: "didn't" is one word of three pieces. Tested in
// tests/unit/text/split/bert_pre_tokenizer_test.cpp.
#pragma once

#include <vector>

#include "text/normalize/aligned_text.h"

namespace attnviz {

struct PreToken {
  CharRange range;
  bool continues_word = false;  // belongs to the word of the piece before it
};

std::vector<PreToken> pre_tokenize_bert(AlignedView normalized);

}  // namespace attnviz
