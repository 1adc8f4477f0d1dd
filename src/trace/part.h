// The same choice of rows, columns and tiles for maps that are there already, as taps make for maps that are being computed.
// Tested in tests/unit/trace/part_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include "trace/spans.h"

namespace attnviz {

// `whole` holds whole maps; spans of `choice` count its queries and keys. The trace that a run with that choice leaves behind. A
// tile must not hold a cell that is not a number.
Trace take_part(Trace whole, const MapChoice& choice);

}  // namespace attnviz
