// Statistics of given times, lists of counts, and the two ways results are shown.
#include "cli/bench_report.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(BenchReport, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({8, 1, 2, 100}), 5);
}

TEST(BenchReport, TimesOfAResult) {
  BenchResult result{.n_token = 16, .batch = 8};
  set_times(&result, {0.5, 0.25, 0.125});
  EXPECT_EQ(result.median_ms, 250);
  EXPECT_EQ(result.min_ms, 125);
  EXPECT_EQ(result.tokens_per_s, 512);
}

TEST(BenchReport, ListsOfCounts) {
  EXPECT_EQ(parse_counts("16", "--tokens"), (std::vector<std::size_t>{16}));
  EXPECT_EQ(parse_counts("512,16,512", "--tokens"), (std::vector<std::size_t>{512, 16, 512}));
  for (const char* bad : {"", "0", "16,", ",16", "16,,8", "-1", "1.5", "16 8", "all", "99999999999999999999999"}) {
    try {
      parse_counts(bad, "--tokens");
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), testing::HasSubstr("--tokens \"" + std::string(bad) + "\""));
    }
  }
}

TEST(BenchReport, TableAndJson) {
  const std::vector<BenchResult> results{{16, 1, 2, 1.25, 1, 12800, 96.04}, {512, 8, 2, 1000, 900.5, 4096, 512}};
  EXPECT_EQ(bench_table(results),
            "  tokens   batch  threads   median ms      min ms    tokens/s   peak MB\n"
            "      16       1        2        1.25        1.00       12800      96.0\n"
            "     512       8        2     1000.00      900.50        4096     512.0\n");
  EXPECT_EQ(bench_json(results),
            "[\n"
            "{\"tokens\": 16, \"batch\": 1, \"threads\": 2, \"median_ms\": 1.2500, \"min_ms\": 1.0000, \"tokens_per_s\": 12800.0, "
            "\"peak_mb\": 96.0},\n"
            "{\"tokens\": 512, \"batch\": 8, \"threads\": 2, \"median_ms\": 1000.0000, \"min_ms\": 900.5000, \"tokens_per_s\": "
            "4096.0, \"peak_mb\": 512.0}]\n");
  EXPECT_EQ(bench_json({}), "[]\n");
}

}  // namespace
}  // namespace attnviz
