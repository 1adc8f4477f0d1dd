// The program: arguments in, exit code out. A closed pipe ends it normally, not by a signal.
//
// Models are mapped. If another program shortens a file meanwhile, the kernel sends SIGBUS when the missing bytes are read.
#include <csignal>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/memory_setup.h"
#include "cli/commands/commands.h"

namespace {

// Does only what POSIX allows in a handler. The exit code is that of a model that cannot be used.
extern "C" void end_on_lost_file(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {  // not a mapped file: end as without this handler
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  constexpr char kMessage[] =
      "attnviz: a file of the model became shorter, or unreadable, while it was read; expected it to stay as it was; try again\n";
  if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(1);
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  attnviz::set_up_memory();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit then makes a write fail, as a full disk does
  struct sigaction lost_file = {};
  lost_file.sa_sigaction = end_on_lost_file;
  lost_file.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &lost_file, nullptr);
  return attnviz::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
