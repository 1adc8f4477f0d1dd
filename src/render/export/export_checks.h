// What every exporter of numbers refuses, because neither JSON nor CSV nor NPZ readers could make sense of it: a bug, never an
// input.
#pragma once

#include <attnviz/trace.h>

namespace attnviz {

// Throws Error(kBug) for a weight that is not finite.
void check_weight(const AttentionMap& map, float weight);

// Throws Error(kBug) for a map that does not fit the trace's tokens.
void check_shape(const Trace& trace, const AttentionMap& map);

}  // namespace attnviz
