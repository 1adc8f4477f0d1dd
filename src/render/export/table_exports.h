// Table -> JSON and CSV (docs/JSON.md). Numbers are the shortest decimals that read back as the same value.
// Tested in tests/unit/render/export/table_exports_test.cpp and tests/cli/test_tokens.py.
#pragma once

#include <attnviz/table.h>

#include "render/byte_sink.h"

namespace attnviz {

// {"schema": ..., <facts>, "<rows name>": [{<column>: <cell>, ...}, ...], "command": ...}, one row per line, ending in a newline;
// on one line for JSON Lines.
void write_table_json(const Table& table, const ByteSink& sink, bool one_line = false);

// A header with the columns' names and one line per row, quoted as RFC 4180 says. Facts have no place in it.
void write_table_csv(const Table& table, const ByteSink& sink);

}  // namespace attnviz
