// The one exception type of attnviz. It is thrown where the fault is seen; src/cli/commands/commands.cpp turns it into a message
// and an exit code.
//
// A message reads "where: what is wrong; expected X, found Y; what to try". Library code never prints and never exits.
// Exit codes (see exit_code): 1 bad input, model or output; 2 bad command line; 3 a bug in attnviz itself.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace attnviz {

enum class ErrorKind {
  kInput,   // the user's text, words or files
  kModel,   // a model folder, its weights, configuration or tokenizer
  kOutput,  // a file or stream that cannot be written
  kUsage,   // the command line
  kBug,     // something that must not happen
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message) : std::runtime_error(std::move(message)), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// The process exit code for a kind of error.
constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage: return 2;
    case ErrorKind::kBug: return 3;
    default: return 1;
  }
}

}  // namespace attnviz
