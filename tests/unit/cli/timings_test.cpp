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

TEST(Timings, StagesOfARunAndWhatBelongsToNone) {
  Timings timings;
  add_run({.embed = 0.001, .project = 0.002, .attend = 0.004, .output = 0.001, .feed_forward = 0.002}, 0.015, &timings);
  add_run({.project = 0.005}, 0.004, &timings);  // a clock that is read one after the other
  EXPECT_EQ(timings.report(),
            "embed            1.0 ms     5%\n"
            "project          7.0 ms    35%\n"
            "attend           4.0 ms    20%\n"
            "output           1.0 ms     5%\n"
            "ffn              2.0 ms    10%\n"
            "other            5.0 ms    25%\n"
            "total           20.0 ms   100%\n");
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
