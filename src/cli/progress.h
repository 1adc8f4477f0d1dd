// One line about the progress of a download: name, share, bar, rate, time left. A pure function of numbers, so that it can be
// tested. Tested in tests/unit/cli/progress_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attnviz {

struct Progress {
  std::string_view name;
  std::uint64_t n_byte = 0;  // so far
  std::uint64_t size = 0;
  double rate = 0;  // bytes per second; 0: not known yet
};

// "612 B", "4.2 kB", "90.9 MB", "1.24 GB"
std::string human_size(std::uint64_t n_byte);

// "0:07", "12:30", "3:05:00"
std::string human_time(std::uint64_t n_second);

// At most `n_column` columns, so that it never wraps: the bar shrinks first, then the name.
std::string progress_line(const Progress& progress, std::size_t n_column);

}  // namespace attnviz
