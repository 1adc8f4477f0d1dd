// The process's own peak of resident memory, as the kernel counts it. Tested in tests/unit/base/memory_peak_test.cpp.
#pragma once

namespace attnviz {

// Starts counting anew from what is resident now. Where the kernel does not let us, the peak stays that of the whole run.
void reset_memory_peak();

// In units of 10^6 bytes; 0 where the kernel does not say.
double memory_peak_mb();

}  // namespace attnviz
