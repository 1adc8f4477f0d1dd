// Copies rows past the caches, for arrays that are far larger than those and not read again soon: a kept map. The processor then
// need not fetch the lines that it overwrites. Tested in tests/unit/base/stream_rows_test.cpp.
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

// What is written can be read by threads that synchronise with this one afterwards.
void stream_rows(const RowCopy& copy);

}  // namespace attnviz
