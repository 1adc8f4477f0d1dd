// Choosing rows, columns and tiles of existing maps, as taps do for maps that are being computed.
// Tested in tests/unit/trace/part_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include "trace/spans.h"

namespace attnviz {

// The trace that a run with that choice would have made. `whole` holds whole maps, and the spans of `choice` index its queries and
// keys. No tile may hold a cell that is not a number.
Trace take_part(Trace whole, const MapChoice& choice);

}  // namespace attnviz
