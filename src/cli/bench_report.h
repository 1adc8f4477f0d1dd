// The report of attnviz bench: statistics of times, a table, and JSON. It reads no clock, so that it can be tested: see
// tests/unit/cli/bench_report_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct BenchResult {
  std::size_t n_token = 0;  // of each text
  std::size_t batch = 0;    // texts run together
  std::size_t threads = 0;
  double median_ms = 0;
  double min_ms = 0;
  double tokens_per_s = 0;  // of all texts together, by the median
  double peak_mb = 0;       // resident memory of the process at its highest
};

// For an even number of values, the mean of the two in the middle. 0 for none.
double median(std::vector<double> values);

// median_ms, min_ms and tokens_per_s of times in seconds.
void set_times(BenchResult* result, const std::vector<double>& seconds);

// "16,512" -> 16, 512, in the order given. Throws Error(kUsage), naming the option, for anything but numbers from 1 on.
std::vector<std::size_t> parse_counts(std::string_view text, std::string_view option);

// A header line and one line per result, in columns.
std::string bench_table(const std::vector<BenchResult>& results);

// An array of objects, one per line.
std::string bench_json(const std::vector<BenchResult>& results);

}  // namespace attnviz
