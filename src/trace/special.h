// Hiding special tokens: [CLS], [SEP] and the like. Tested in tests/unit/trace/special_test.cpp.
#pragma once

#include <attnviz/trace.h>

namespace attnviz {

// Leaves out the rows and columns of special tokens; the other weights are not rescaled, so rows may sum to less than 1. A note
// says so. Throws SettingError(kInput) for a trace of special tokens only.
Trace hide_special(const Trace& trace);

}  // namespace attnviz
