// A tokenizer's settings as bytes: all of its spec but where it was read and the vocabulary, which is frozen apart (stages.h).
//
// What a stage is made of is said once, in spec_bytes.cpp, for writing and reading alike: a new stage is a function there, and
// kFrozenFormat of frozen_tokenizer.h counts on. Tested in tests/unit/text/frozen_tokenizer_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include "base/flat_bytes.h"

namespace attnviz {

void write_settings(const TokenizerSpec& spec, FlatWriter* out);

// Throws Error(kModel) for bytes that are not such settings.
TokenizerSpec read_settings(FlatReader* in);

}  // namespace attnviz
