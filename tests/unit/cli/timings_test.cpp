// Stages, their order and their sums; no clock.
#include "cli/timings.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Timings, ReportsStagesInTheOrderTheyCame) {
  Timings timings;
  timings.add("load", 0.010);
  timings.add("run", 0.0255);
  timings.add("load", 0.0145);
  EXPECT_EQ(timings.report(),
            "load            24.5 ms    49%\n"
            "run             25.5 ms    51%\n"
            "total           50.0 ms   100%\n");
}

TEST(Timings, NothingTookNoTime) { EXPECT_EQ(Timings().report(), "total            0.0 ms     0%\n"); }

TEST(Stopwatch, LapsAddUp) {
  Stopwatch watch;
  const Stopwatch whole = watch;
  const double laps = watch.lap() + watch.lap();
  EXPECT_GE(laps, 0);
  EXPECT_GE(whole.seconds(), laps);
}

}  // namespace
}  // namespace attnviz
