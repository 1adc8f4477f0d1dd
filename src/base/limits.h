// The least and the most that a user may ask for: one table, which checks, messages and help share. Limits of file formats and of
// models are defined where those are read.
#pragma once

#include <cstddef>

namespace attnviz {

struct Limits {
  double least;
  double most;

  constexpr bool hold(double value) const { return value >= least && value <= most; }  // false for NaN
};

struct Counts {
  std::size_t least;
  std::size_t most;
};

// Pictures.
inline constexpr Limits kDpiLimits{24, 1200};
inline constexpr Limits kWidthLimits{120, 16000};   // device pixels of a side; 16,000 squared is a gigabyte of surface
inline constexpr Limits kPageSideLimits{24, 9600};  // 1/96 inch: a quarter of an inch to 100 inches
inline constexpr Limits kVmaxLimits{1e-6, 1e6};

// Maps.
inline constexpr std::size_t kMostTilesOfSide = 4096;
inline constexpr std::size_t kMostTokensOfSide = 4096;                 // of a map that is kept whole
inline constexpr std::size_t kMostKeptWeights = std::size_t{1} << 27;  // of all maps of a run: 512 MiB

// Pages. Browsers draw on canvases of some 16,000 pixels a side.
inline constexpr std::size_t kMostPageSide = 8192;
inline constexpr std::size_t kMostPageWeights = std::size_t{1} << 26;       // a page of some 45 MB
inline constexpr std::size_t kMostExactPageWeights = std::size_t{1} << 25;  // of some 120 MB

// Runs.
inline constexpr Counts kThreadCounts{1, 256};
inline constexpr Counts kGeneratedCounts{1, 100000};
inline constexpr Limits kTemperatureLimits{0, 100};
inline constexpr std::size_t kMostBenchBatch = 4096;
inline constexpr Counts kRepeatCounts{1, 100000};

}  // namespace attnviz
