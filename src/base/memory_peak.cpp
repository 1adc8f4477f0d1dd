// See memory_peak.h. proc(5): "5" in clear_refs resets VmHWM, the high water mark of the resident set in status.
#include "base/memory_peak.h"

#include <fstream>
#include <string>

namespace attnviz {

void reset_memory_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
}

double memory_peak_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024 / 1e6;
  }
  return 0;
}

}  // namespace attnviz
