// Combining maps: one for all heads of a layer, for a head in all layers, or for all. Tested in tests/unit/trace/reduce_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstdint>
#include <string>

namespace attnviz {

enum class ReduceOver : std::uint8_t { kHeads, kLayers, kAll };  // kAll: of which there are several

// The heads of each layer (or the layers of each head, or all maps) become one map: each weight is the mean of theirs, or the
// largest. Sums are f64 and in the order of the maps. Rows of a mean sum to 1; those of a maximum need not, and a note says so. A
// weight that is not a number in any of the maps is not a number in the result. Throws SettingError(kInput) where maps are missing:
// not every layer has the same heads, as in a document that somebody cut down.
Trace reduce_maps(const Trace& trace, ReduceBy by, ReduceOver over);

// What names the layer and the head of a map: its number, or "mean" or "max" where several were combined.
std::string layer_text(const Trace& trace, const AttentionMap& map);
std::string head_text(const Trace& trace, const AttentionMap& map);

}  // namespace attnviz
