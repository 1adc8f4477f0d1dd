// A tokenizer's settings as bytes: its spec without the file it is from and without the vocabulary, which is frozen separately
// (stages.h).
//
// The fields of a stage are listed once, in spec_bytes.cpp, for writing and reading. A new stage is a function there, and increases
// kFrozenFormat of frozen_tokenizer.h. Tested in tests/unit/text/frozen_tokenizer_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include "base/flat_bytes.h"

namespace attnviz {

void write_settings(const TokenizerSpec& spec, FlatWriter* out);

// Throws Error(kModel) for bytes that are not such settings.
TokenizerSpec read_settings(FlatReader* in);

}  // namespace attnviz
