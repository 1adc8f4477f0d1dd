// Comparing a rendered PNG with a committed one.
#pragma once

#include <cstddef>
#include <string>

namespace attnviz {

struct GoldenResult {
  bool same = false;
  std::string message;
};

// Compares `png` with pictures/<name>.png. A difference leaves <name>-expected-difference-actual.png in the build folder. With
// ATTNVIZ_UPDATE_GOLDEN set in the environment the committed picture is written anew, and the result still says "not the same": a
// run that changed what is expected has tested nothing.
GoldenResult compare_with_golden(const std::string& name, const std::string& png);

}  // namespace attnviz
