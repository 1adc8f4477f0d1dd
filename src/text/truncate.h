// Shortens an encoded text or pair to a model's limit. Tested in tests/unit/text/truncate_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <cstddef>
#include <vector>

namespace attnviz {

// The contract of Tokenizer::truncate.
std::vector<Token> truncate_tokens(std::vector<Token> tokens, std::size_t limit);

}  // namespace attnviz
