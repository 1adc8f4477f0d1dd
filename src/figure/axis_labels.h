// Tokens as labels: their text beside a cell, and their text in a sentence. Tested in tests/unit/figure/build_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <string>
#include <vector>

namespace attnviz {

// A tile is named by its first token and that token's index, "@128 word"; so are the tokens of a part that is too long to label
// each of them. `side`: tokens per tile along this axis.
std::vector<AxisLabel> token_labels(const std::vector<Token>& tokens, const std::vector<std::string>& texts, std::size_t side);

}  // namespace attnviz
