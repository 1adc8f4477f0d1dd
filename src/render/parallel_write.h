// A long output made in pieces in parallel and written in order: the same bytes for any number of threads, with only a few pieces
// per thread in memory. Tested in tests/unit/render/parallel_write_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/thread_pool.h"
#include "render/byte_sink.h"

namespace attnviz {

// Calls make(index, out) for every index in [0, n) with an empty string, from several threads, and gives `sink` what it appended,
// by index. Stops once the sink returns false, and then returns false. `pool` may be null: everything is made by the caller.
bool write_pieces(ThreadPool* pool, std::size_t n, const std::function<void(std::size_t index, std::string* out)>& make,
                  const ByteSink& sink);

}  // namespace attnviz
