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
  bool force = false;  // invalid weights become NaN; wrong sums are only counted
};

// Checks the maps that are still in `file`, whose tokens must have names. Throws Error(kInput) for the first fault by layer, head
// and row. With `force`, the trace gets notes of what is wrong instead.
void check_maps(MapFile* file, const MapCheckOptions& options);

// How far a row's sum may be from 1. This depends on how its numbers were rounded, which their trailing zero bits and digits show.
// Rounding a weight w moves it by at most w * 2^-(p+1), where p is the number of fraction bits, or by half a unit if it is very
// small. Weights sum to 1, so a row's sum moves by at most 2^-(p+1) and half a unit per key:
//   f16       p = 10: 2^-11 + n * 2^-25
//   bf16      p = 7:  2^-7 (twice as much, because some programs truncate)
//   decimals  d >= 2 of them: n * 10^-d (a whole unit, for the same reason), at most 0.25
//   f32       2^-13, for approximate exponentials; rounding alone gives at most n * 2^-24
// `bits`: the bit patterns of the row's n numbers, ORed. `decimals`: see MapFile.
double row_tolerance(std::uint32_t bits, std::size_t n, std::size_t decimals);

}  // namespace attnviz
