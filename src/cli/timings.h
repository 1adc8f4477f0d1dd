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

  // "load      12.3 ms   41%": one line per stage, and the total.
  std::string report() const;

 private:
  struct Stage {
    std::string name;
    double seconds;
  };
  std::vector<Stage> stages_;
};

// Adds the stages of runs that took `seconds` in all; time outside these stages is "other".
void add_run(const StageTimes& stages, double seconds, Timings* timings);

// --timings
void add_timings_option(CLI::App& app, bool& timings);

// Prints the report on stderr.
void print_timings(const Timings& timings);

}  // namespace attnviz
