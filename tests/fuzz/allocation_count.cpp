// See allocation_count.h. AddressSanitizer calls hooks for every allocation. Without it, this file wraps the C library's functions,
// which `operator new` and every library in the program then use (glibc, "Replacing malloc").
#include "allocation_count.h"

#include <atomic>

#if defined(__has_feature)  // Clang; GCC defines a macro instead
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
// Declared as in sanitizer/allocator_interface.h, which not every GCC provides.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void*);
#else
#include <cerrno>

#include <malloc.h>
#endif

namespace {

// Signed, because blocks from before the count may be freed during it. Constant-initialised, because they are used before any
// constructor runs.
std::atomic<long long> held = 0;
std::atomic<long long> most = 0;

void add(std::size_t n_bytes) {
  const long long now = held.fetch_add(static_cast<long long>(n_bytes)) + static_cast<long long>(n_bytes);
  long long before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
}

void remove(std::size_t n_bytes) { held.fetch_sub(static_cast<long long>(n_bytes)); }

}  // namespace

namespace attnviz::fuzz {

#if defined(__SANITIZE_ADDRESS__)

void start_counting() {
  static const bool installed = [] {
    return __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t n_bytes) { add(n_bytes); },
                                                     [](const volatile void* block) {
                                                       if (block != nullptr) remove(__sanitizer_get_allocated_size(block));
                                                     }) != 0;
  }();
  if (!installed) __builtin_trap();
  held = 0;
  most = 0;
}

#else

void start_counting() {
  held = 0;
  most = 0;
}

#endif

std::size_t most_allocated() { return static_cast<std::size_t>(most.load()); }

}  // namespace attnviz::fuzz

#if !defined(__SANITIZE_ADDRESS__)

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

namespace {

void* counted(void* block) {
  add(malloc_usable_size(block));
  return block;
}

}  // namespace

void* malloc(std::size_t n_bytes) { return counted(__libc_malloc(n_bytes)); }
void* calloc(std::size_t n, std::size_t n_bytes) { return counted(__libc_calloc(n, n_bytes)); }

void* realloc(void* block, std::size_t n_bytes) {
  const std::size_t n_before = malloc_usable_size(block);
  void* moved = __libc_realloc(block, n_bytes);
  if (moved == nullptr && n_bytes > 0) return nullptr;  // the old block stays
  remove(n_before);
  return counted(moved);
}

void free(void* block) {
  remove(malloc_usable_size(block));
  __libc_free(block);
}

void* memalign(std::size_t alignment, std::size_t n_bytes) { return counted(__libc_memalign(alignment, n_bytes)); }
void* aligned_alloc(std::size_t alignment, std::size_t n_bytes) { return memalign(alignment, n_bytes); }

int posix_memalign(void** block, std::size_t alignment, std::size_t n_bytes) {
  *block = memalign(alignment, n_bytes);
  return *block == nullptr ? ENOMEM : 0;
}

}  // extern "C"

#endif
