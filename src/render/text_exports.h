// Trace -> JSON and CSV (docs/JSON.md, docs/attention.schema.json). Numbers are the shortest decimal that reads back as the same
// f32. Tested in tests/unit/render/text_exports_test.cpp and tests/cli.
#pragma once

#include <attnviz/trace.h>

#include <functional>
#include <string>
#include <string_view>

namespace attnviz {

// Takes bytes in order; returns false when the reader has gone away, and nothing more is made then.
using ByteSink = std::function<bool(std::string_view)>;

// `text` as a JSON string, in quotes, that may also stand inside a <script> element.
std::string json_string(std::string_view text);

// One JSON document, "attnviz.attention/1", ending in a newline.
void write_json(const Trace& trace, const ByteSink& sink);

// A header line and one line a cell: layer,head,query,key,query_text,key_text,weight (RFC 4180 quoting).
void write_csv(const Trace& trace, const ByteSink& sink);

}  // namespace attnviz
