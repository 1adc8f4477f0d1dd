// Where a command's time went: named stages in the order they were first met, for --timings.
// Tested in tests/unit/cli/timings_test.cpp.
#pragma once

#include <attnviz/request.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"

namespace CLI {
class App;
}

namespace attnviz {

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

// The stages of the runs, which took `seconds` in all; what belongs to no stage is "other".
void add_run(const StageTimes& stages, double seconds, Timings* timings);

// --timings
void add_timings_option(CLI::App& app, bool& timings);

// The report on stderr.
void print_timings(const Timings& timings);

}  // namespace attnviz
