// Builds the tokenizer a spec describes. Tested in tests/unit/text and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <memory>

namespace attnviz {

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerSpec& spec);  // throws Error(kModel)

}  // namespace attnviz
