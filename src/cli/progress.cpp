// See progress.h.
#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kMinBarColumns = 6;
constexpr double kLongestWait = 100 * 3600;  // seconds; more is not worth a number

std::string bar(double share, std::size_t n_column) {
  const auto n_full = static_cast<std::size_t>(share * static_cast<double>(n_column));
  return fmt::format("[{:#<{}}{:.<{}}]", "", n_full, "", n_column - n_full);
}

}  // namespace

std::string human_size(std::uint64_t n_byte) {
  const auto value = static_cast<double>(n_byte);
  if (n_byte < 1000) return fmt::format("{} B", n_byte);
  if (value < 999.95e3) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 999.95e6) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

std::string human_time(std::uint64_t n_second) {
  const std::uint64_t hours = n_second / 3600, minutes = n_second / 60 % 60, seconds = n_second % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, seconds) : fmt::format("{}:{:02}", minutes, seconds);
}

std::string progress_line(const Progress& progress, std::size_t n_column) {
  const double share =
      progress.size == 0 ? 1 : std::min(1.0, static_cast<double>(progress.n_byte) / static_cast<double>(progress.size));
  std::string numbers = fmt::format("{:3}% of {}", static_cast<int>(share * 100), human_size(progress.size));
  if (progress.rate >= 1) {
    const double left = static_cast<double>(progress.size - std::min(progress.size, progress.n_byte)) / progress.rate;
    numbers += fmt::format("  {}/s", human_size(static_cast<std::uint64_t>(progress.rate)));
    if (left < kLongestWait) numbers += fmt::format("  {} left", human_time(static_cast<std::uint64_t>(std::ceil(left))));
  }
  const std::size_t n_fixed = progress.name.size() + numbers.size() + 6;  // spaces and the bar's ends
  std::string line(progress.name);
  if (n_fixed + kMinBarColumns <= n_column) line += "  " + bar(share, std::min(kBarColumns, n_column - n_fixed));
  line += "  " + numbers;
  if (line.size() <= n_column) return line;
  return numbers.substr(0, n_column);
}

}  // namespace attnviz
