// Runs something that must throw an attnviz::Error, and gives back its kind and message.
#pragma once

#include <attnviz/error.h>

#include <string>

namespace attnviz {

struct SeenError {
  bool thrown = false;
  ErrorKind kind = ErrorKind::kBug;
  std::string message;
};

template <typename Action>
SeenError error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return {true, error.kind(), error.what()};
  }
  return {};
}

}  // namespace attnviz
