// The program: arguments in, exit code out. A closed pipe is an end like any other, not a signal.
//
// Models are mapped: when another program makes a file shorter meanwhile, the kernel says so with a signal where the bytes are
// read.
#include <malloc.h>
#include <unistd.h>

#include <csignal>
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

// Maps come and go by the hundred megabytes in a batch; memory that is given back would have to be got, and cleared by the kernel,
// again for the next one.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction lost_file = {};
  lost_file.sa_sigaction = end_on_lost_file;
  lost_file.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &lost_file, nullptr);
  return attnviz::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
