// The process's own peak of resident memory, as the kernel counts it. Tested in tests/unit/base/memory_peak_test.cpp.
#pragma once

namespace attnviz {

// Resets the peak to what is resident now. If the kernel does not allow that, the peak remains that of the whole run.
void reset_memory_peak();

// In units of 10^6 bytes; 0 if the kernel does not report it.
double memory_peak_mb();

}  // namespace attnviz
