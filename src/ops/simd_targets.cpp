// Which of the instruction sets that the kernels are built for this CPU has: the three functions that Highway's dispatch calls.
//
// They replace Highway's own library, of which nothing else is used: that one measures its timer before main, which took
// 2.5 ms of every start. What each set needs follows hwy/detect_targets.h. Tested in tests/unit/ops, which runs every kernel on
// every set.
#include "ops/simd_targets.h"

#include <atomic>
#include <cstdint>

#include <hwy/targets.h>

namespace hwy {
namespace {

std::atomic<std::int64_t> for_test{0};

std::int64_t targets_of_cpu() {
  std::int64_t targets = HWY_STATIC_TARGET | HWY_SCALAR;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");  // such CPUs have LZCNT and F16C too
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx3) targets |= HWY_AVX3;
#endif
  return targets;
}

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t of_cpu = targets_of_cpu();
  const std::int64_t chosen = for_test.load();
  return chosen != 0 ? chosen : of_cpu;
}

void SetSupportedTargetsForTest(std::int64_t targets) { for_test.store(targets); }

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
