// Merging the pieces of a word: the tokens of a map become words. Tested in tests/unit/trace/words_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <vector>

namespace attnviz {

// The tokens of a list that merge_words makes one of each: adjacent tokens of one word. In order; every token is in one group.
std::vector<TokenSpan> word_groups(const std::vector<Token>& tokens);

// Tokens of one word become one: their columns are summed and their rows averaged, so rows still sum to 1. A word's token has the
// first piece's id, kind kWord, and the text from its first to its last byte. A note says that pieces were merged.
Trace merge_words(const Trace& trace);

}  // namespace attnviz
