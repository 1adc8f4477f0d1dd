// Tokens as labels: what stands beside a cell, and what of it stands in a sentence. Tested in tests/unit/figure/build_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <string>
#include <vector>

namespace attnviz {

// A tile is named by where it begins, "@128 word"; so are the tokens of a part too long to be labelled one by one. `side` is the
// tokens a tile has on this side.
std::vector<AxisLabel> token_labels(const std::vector<Token>& tokens, const std::vector<std::string>& texts, std::size_t side);

}  // namespace attnviz
