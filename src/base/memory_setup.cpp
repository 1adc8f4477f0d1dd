// See memory_setup.h.
#include "base/memory_setup.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace attnviz {

void set_up_memory() {
#ifdef __GLIBC__
  constexpr std::size_t kMostFromHeap = 32 << 20;  // the largest threshold that glibc accepts
  constexpr std::size_t kLargePage = 2 << 20;
  constexpr std::size_t kStart = 8 << 20;  // the part of the heap that gets large pages
  // Blocks up to the threshold come from the heap, and freed memory stays there.
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMostFromHeap));
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // Grow the heap, ask for large pages in the aligned part of it, and leave it to later allocations.
  void* heap = std::malloc(kStart + kLargePage);
  if (heap == nullptr) return;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(heap) + kLargePage - 1) / kLargePage * kLargePage;
  madvise(reinterpret_cast<void*>(first), kStart, MADV_HUGEPAGE);
  std::free(heap);
#endif
}

}  // namespace attnviz
