// Trace -> NPZ, which numpy.load reads directly: a zip archive of .npy arrays, stored without compression (docs/JSON.md). Formats:
// NumPy's NEP 1 and PKWARE's APPNOTE 6.3.2. The maps go from where they are to the sink.
// Tested in tests/unit/render/export/npz_test.cpp and tests/cli/test_npz.py.
#pragma once

#include <attnviz/trace.h>

#include <cstdint>

#include "render/byte_sink.h"

namespace attnviz {

// Arrays: maps [n, Tq, Tk] f32, layers [n] and heads [n] i64, queries [Tq] and keys [Tk] text, document: the JSON document without
// weights. Throws Error(kOutput) before the first byte where check_npz_size does.
void write_npz(const Trace& trace, const ByteSink& sink);

// Throws Error(kOutput) for an archive of that many bytes or more than its 32-bit fields hold.
void check_npz_size(std::uint64_t n_byte);

}  // namespace attnviz
