// Where a command's time went: named stages in the order they were first met, for --timings.
// Tested in tests/unit/cli/timings_test.cpp.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace attnviz {

// Runs from when it is made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // Seconds since it was made or this was last called.
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

class Timings {
 public:
  void add(std::string_view stage, double seconds);

  // "load      12.3 ms   41%", a line a stage, and the total.
  std::string report() const;

 private:
  struct Stage {
    std::string name;
    double seconds;
  };
  std::vector<Stage> stages_;
};

// --timings
void add_timings_option(CLI::App& app, bool& timings);

// The report on stderr.
void print_timings(const Timings& timings);

}  // namespace attnviz
