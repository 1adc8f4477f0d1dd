// The program: arguments in, exit code out. A closed pipe is an end like any other, not a signal.
#include <csignal>
#include <string>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return attnviz::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
