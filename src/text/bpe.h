// Byte-pair encoding of a word (Sennrich et al. 2016), as the reference tokenizers library does it: of all neighbouring pieces that
// may be joined, the pair that was learnt first, and of equal pairs the leftmost, until none is left.
// O(n log n) in the word's length. Tested in tests/unit/text/bpe_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>

#include "text/stages.h"

namespace attnviz {

// Throws Error(kModel): a merge or the unknown token is not in the vocabulary. The spec must outlive the model.
std::unique_ptr<PieceModel> make_bpe(const BpeSpec& spec, const std::string& where);

}  // namespace attnviz
