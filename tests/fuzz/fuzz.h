// The rule of every fuzz target: foreign bytes are accepted, or refused with one short, printable Error(kModel). Files of maps may
// also be refused with Error(kInput).
#pragma once

#include <attnviz/error.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"

namespace attnviz::fuzz {

[[noreturn]] inline void fail(const char* what, std::string_view detail = {}) {
  std::fprintf(stderr, "fuzz: %s: %.*s\n", what, static_cast<int>(detail.size()), detail.data());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

// Calls `read`; true if it accepts the bytes. `other` is a second kind of error that may refuse them.
template <typename Read>
bool accepts(Read read, ErrorKind other = ErrorKind::kModel) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (error.kind() != ErrorKind::kModel && error.kind() != other) fail("an error of another kind", message);
    if (message.size() > 4096) fail("a message that nobody reads", message);
    if (find_invalid_utf8(message)) fail("a message that is not UTF-8", message);
    for (const char c : message) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) fail("a control character in a message", message);
    }
    return false;
  }
}

}  // namespace attnviz::fuzz
