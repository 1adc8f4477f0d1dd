// Byte-pair encoding of a word (Sennrich et al. 2016), as the reference tokenizers library does it: of all neighbouring pieces that
// may be joined, the pair that was learnt first, and of equal pairs the leftmost, until none is left. O(n log n) in the word's
// length.
//
//     frozen: PieceTable | MergeTable | i32 id of the unknown token | i32 ids of the bytes 0 to 255; -1: there is none
//
// Tested in tests/unit/text/models/bpe_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>

#include "base/flat_bytes.h"
#include "text/stages.h"

namespace attnviz {

// Throws Error(kModel): a merge or the unknown token is not in the vocabulary.
std::string freeze_bpe(const BpeSpec& spec, const std::string& where);

// Of the spec everything but vocabulary and merges, which are in `frozen`. Both must outlive the model. Throws Error(kModel) for
// bytes that freeze_bpe did not write.
std::unique_ptr<PieceModel> open_bpe(const BpeSpec& settings, FlatReader* frozen);

}  // namespace attnviz
