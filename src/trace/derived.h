// What every change to a trace starts from: a copy of the fields that the change keeps.
#pragma once

#include <attnviz/trace.h>

namespace attnviz {

// The trace without its tokens and maps, which would be costly to copy. Tested in tests/unit/trace/words_test.cpp.
Trace without_maps(const Trace& trace);

}  // namespace attnviz
