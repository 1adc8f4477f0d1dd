// The line that tells how far a download is.
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Progress, Sizes) {
  EXPECT_EQ(human_size(0), "0 B");
  EXPECT_EQ(human_size(999), "999 B");
  EXPECT_EQ(human_size(1000), "1.0 kB");
  EXPECT_EQ(human_size(999'949), "999.9 kB");
  EXPECT_EQ(human_size(999'951), "1.0 MB");
  EXPECT_EQ(human_size(90'868'376), "90.9 MB");
  EXPECT_EQ(human_size(1'240'000'000), "1.24 GB");
}

TEST(Progress, Times) {
  EXPECT_EQ(human_time(7), "0:07");
  EXPECT_EQ(human_time(750), "12:30");
  EXPECT_EQ(human_time(11'100), "3:05:00");
}

TEST(Progress, TheWholeLine) {
  EXPECT_EQ(progress_line({"model.safetensors", 50'000'000, 100'000'000, 10e6}, 100),
            "model.safetensors  [############............]   50% of 100.0 MB  10.0 MB/s  0:05 left");
  EXPECT_EQ(progress_line({"a", 0, 0, 0}, 80), "a  [########################]  100% of 0 B");
}

TEST(Progress, NeverWiderThanTheTerminal) {
  const std::string name(60, 'n');
  for (std::size_t n_column = 0; n_column < 130; ++n_column) {
    EXPECT_LE(progress_line({name, 50'000'000, 100'000'000, 10e6}, n_column).size(), n_column);
    EXPECT_LE(progress_line({"a", 50'000'000, 100'000'000, 10e6}, n_column).size(), n_column);
  }
  EXPECT_EQ(progress_line({name, 50'000'000, 100'000'000, 10e6}, 50), " 50% of 100.0 MB  10.0 MB/s  0:05 left");
  EXPECT_EQ(progress_line({"model", 50'000'000, 100'000'000, 10e6}, 60),
            "model  [#####......]   50% of 100.0 MB  10.0 MB/s  0:05 left");
}

TEST(Progress, AStandstillHasNoTimeLeft) {
  const std::string line = progress_line({"a", 1, 100'000'000'000'000, 10}, 80);
  EXPECT_EQ(line.find("left"), std::string::npos);
}

}  // namespace
}  // namespace attnviz
