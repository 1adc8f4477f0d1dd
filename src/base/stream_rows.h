// Copies rows past the caches, for arrays that are much larger than the caches and not read again soon, such as a kept map. The
// processor then does not fetch the lines that it overwrites. Tested in tests/unit/base/stream_rows_test.cpp.
#pragma once

#include <cstddef>

namespace attnviz {

struct RowCopy {
  const float* from = nullptr;  // [n_rows, n_columns], row stride from_stride
  std::size_t from_stride = 0;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  float* to = nullptr;  // [n_rows, n_columns], rows end to end; does not overlap `from`
};

// Threads that synchronise with this one afterwards see the copy.
void stream_rows(const RowCopy& copy);

}  // namespace attnviz
