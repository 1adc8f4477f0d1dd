// Which instruction sets Highway builds the kernels for; include it before any Highway header. AVX3_DL and SSSE3 add nothing to
// f32 arithmetic over AVX3 and the baseline, and vectors of unknown length (SVE, RVV) cannot be kept in the arrays that the tiles
// are made of.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
