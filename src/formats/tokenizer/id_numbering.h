// The rule of the reference for the ids of added tokens, shared by both readers of tokenizer files.
// Tested in tests/unit/formats/tokenizer/tokenizer_files_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

namespace attnviz {

// An added token that the vocabulary holds has its id there; the others follow the vocabulary without a gap, in their order. The
// reference renumbers tokens that break this rule, so ids in such a file are not to be trusted: throws Error(kModel). Tokens
// without text are removed, as the reference does.
void check_added_tokens(TokenizerSpec* spec);

}  // namespace attnviz
