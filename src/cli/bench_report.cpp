// See bench_report.h.
#include "cli/bench_report.h"

#include <attnviz/error.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace attnviz {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void set_times(BenchResult* result, const std::vector<double>& seconds) {
  if (seconds.empty()) return;
  const double middle = median(seconds);
  result->median_ms = middle * 1000;
  result->min_ms = *std::min_element(seconds.begin(), seconds.end()) * 1000;
  result->tokens_per_s = middle > 0 ? static_cast<double>(result->n_token * result->batch) / middle : 0;
}

std::vector<std::size_t> parse_counts(std::string_view text, std::string_view option) {
  std::vector<std::size_t> counts;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::size_t count = 0;
    const auto [after, fault] = std::from_chars(at, end, count);
    if (fault != std::errc() || count == 0 || (after != end && *after != ',')) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} \"{}\": is not a list of counts; expected numbers from 1 on, such as 16,512", option, text));
    }
    counts.push_back(count);
    if (after == end) return counts;
    at = after + 1;
  }
}

std::string bench_table(const std::vector<BenchResult>& results) {
  std::string table = fmt::format("{:>8}{:>8}{:>9}{:>12}{:>12}{:>12}{:>10}\n", "tokens", "batch", "threads", "median ms", "min ms",
                                  "tokens/s", "peak MB");
  for (const BenchResult& result : results) {
    table += fmt::format("{:>8}{:>8}{:>9}{:>12.2f}{:>12.2f}{:>12.0f}{:>10.1f}\n", result.n_token, result.batch, result.threads,
                         result.median_ms, result.min_ms, result.tokens_per_s, result.peak_mb);
  }
  return table;
}

std::string bench_json(const std::vector<BenchResult>& results) {
  std::string json = "[";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const BenchResult& result = results[i];
    json += fmt::format(
        "{}\n{{\"tokens\": {}, \"batch\": {}, \"threads\": {}, \"median_ms\": {:.4f}, \"min_ms\": {:.4f}, \"tokens_per_s\": "
        "{:.1f}, "
        "\"peak_mb\": {:.1f}}}",
        i == 0 ? "" : ",", result.n_token, result.batch, result.threads, result.median_ms, result.min_ms, result.tokens_per_s,
        result.peak_mb);
  }
  return json + "]\n";
}

}  // namespace attnviz
