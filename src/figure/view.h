// Ways to look at a trace before it is drawn or exported: pieces merged into words, special tokens hidden.
// Each adds a note to the trace, which every output shows. Tested in tests/unit/figure/view_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <vector>

namespace attnviz {

// The tokens of a list that merge_words makes one of each: those of one word that stand side by side. In order, all tokens in them.
std::vector<TokenSpan> word_groups(const std::vector<Token>& tokens);

// Tokens of one word become one: their columns are summed, their rows averaged, so rows still sum to 1. A word's token has the
// first piece's id, kind kWord, and the text from its first to its last byte.
Trace merge_words(const Trace& trace);

// Rows and columns of special tokens are left out; the weights that stay are not rescaled.
Trace hide_special(const Trace& trace);

}  // namespace attnviz
