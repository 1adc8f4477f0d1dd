// The program: arguments in, exit code out. A closed pipe is an end like any other, not a signal.
//
// Models are mapped: when another program makes a file shorter meanwhile, the kernel says so with a signal where the bytes are
// read.
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace {

// Only what POSIX allows in a handler; the code is that of a model that cannot be used.
extern "C" void end_on_lost_file(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {  // not a mapped file: die as without this handler
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  constexpr char kMessage[] =
      "attnviz: a file of the model became shorter, or unreadable, while it was read; expected it to stay as it was; try again\n";
  if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(1);
  _exit(1);
}

// Maps come and go by the hundred megabytes in a batch: memory that is given back would have to be got, and cleared by the kernel,
// again for the next one. And where the kernel lets a program ask for large pages, the first part of the heap has them: a start
// touches megabytes, and each of their thousand pages would be a trap into the kernel. None of it is taken before it is used.
void set_up_memory() {
#ifdef __GLIBC__
  constexpr std::size_t kMostFromHeap = 32 << 20;  // the most that glibc takes
  constexpr std::size_t kLargePage = 2 << 20;
  constexpr std::size_t kStart = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMostFromHeap));
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  void* heap = std::malloc(kStart + kLargePage);
  if (heap == nullptr) return;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(heap) + kLargePage - 1) / kLargePage * kLargePage;
  madvise(reinterpret_cast<void*>(first), kStart, MADV_HUGEPAGE);
  std::free(heap);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  set_up_memory();
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction lost_file = {};
  lost_file.sa_sigaction = end_on_lost_file;
  lost_file.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &lost_file, nullptr);
  return attnviz::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
