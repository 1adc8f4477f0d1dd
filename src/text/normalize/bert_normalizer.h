// BERT's normaliser (Devlin et al. 2019; the reference is the tokenizers library), with the place of every character kept.
//
// In this order: clean (control characters are dropped, every white space becomes a space), Chinese characters get a space on both
// sides, accents are dropped (canonical decomposition, then nonspacing marks are removed), lower case. A dropped character belongs
// to no other; one that is made (a space around a Chinese character, a second part of a decomposed one) has the place of what it
// was made from. Tested in tests/unit/text/normalize/bert_normalizer_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include "text/normalize/aligned_text.h"

namespace attnviz {

AlignedText normalize_bert(const BertNormalizerSpec& spec, AlignedView text);

}  // namespace attnviz
