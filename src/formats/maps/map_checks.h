// Whether numbers from a file can be attention: every one finite and not negative, every row a distribution over the keys, or all
// zeros where nothing may be attended to. docs/JSON.md documents the rules. Tested in
// tests/unit/formats/maps/map_checks_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/maps/map_file.h"

namespace attnviz {

struct MapCheckOptions {
  std::string where;   // opens messages: the file's name
  bool force = false;  // cells that are not weights become NaN; sums are counted
};

// Checks the maps that `file` still has; its tokens are named. Throws Error(kInput) for the first fault by layer, head and row.
// With `force` the trace gets a note about its faults instead.
void check_maps(MapFile* file, const MapCheckOptions& options);

// How far a row's sum may be from 1 follows from how its numbers were rounded, which their bits show. Rounding a weight w
// moves it by at most w * 2^-(p+1), p being the fraction's bits, or by half a unit where it is very small; weights sum to 1, so a
// row moves by 2^-(p+1) and half a unit per key:
//   f16       p = 10: 2^-11 + n * 2^-25
//   bf16      p = 7:  2^-7 (twice as much: some programs cut off instead of rounding)
//   decimals  d >= 2 of them: n * 10^-d (a unit again), at most 0.25
//   f32       2^-13, which is not of rounding (n * 2^-24 at most) but of approximate exponentials
// `bits` has every bit that is set in any of the row's n numbers.
double row_tolerance(std::uint32_t bits, std::size_t n, std::size_t decimals);

}  // namespace attnviz
