// Ways to look at a trace before it is drawn or exported: pieces merged into words, special tokens hidden, heads or layers put
// together. Each adds a note to the trace, which every output shows. Tested in tests/unit/trace/reshape_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstdint>
#include <string>
#include <vector>

namespace attnviz {

// The trace but for its tokens and maps.
Trace without_maps(const Trace& trace);

// The tokens of a list that merge_words makes one of each: those of one word that stand side by side. In order, all tokens in them.
std::vector<TokenSpan> word_groups(const std::vector<Token>& tokens);

// Tokens of one word become one: their columns are summed, their rows averaged, so rows still sum to 1. A word's token has the
// first piece's id, kind kWord, and the text from its first to its last byte.
Trace merge_words(const Trace& trace);

// Rows and columns of special tokens are left out; the weights that stay are not rescaled.
Trace hide_special(const Trace& trace);

enum class ReduceOver : std::uint8_t { kHeads, kLayers, kAll };  // kAll: of which there are several

// The heads of each layer (or the layers of each head, or all maps) become one map: each weight is the mean of theirs, or the
// largest. Sums are f64 and in the maps' order. Rows of a mean sum to 1, those of a maximum need not: that is noted. A weight that
// is not a number in any of them is none in the result. Throws Error(kInput) where maps are missing: not every layer has the same
// heads, as in a document that somebody cut down.
Trace reduce_maps(const Trace& trace, ReduceBy by, ReduceOver over);

// What stands for the layer and for the head of a map: its number, or "mean" or "max" where several were put together.
std::string layer_text(const Trace& trace, const AttentionMap& map);
std::string head_text(const Trace& trace, const AttentionMap& map);

}  // namespace attnviz
