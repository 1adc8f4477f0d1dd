// Wall-clock time between two points of a program. Tested in tests/unit/cli/timings_test.cpp.
#pragma once

#include <chrono>

namespace attnviz {

// Starts when it is constructed.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // Seconds since construction or the last call of lap(); restarts the watch.
  double lap() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace attnviz
