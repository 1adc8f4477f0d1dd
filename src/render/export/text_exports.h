// Trace -> JSON and CSV (docs/JSON.md, docs/attention.schema.json). Numbers are the shortest decimal that reads back as the same
// f32. Tested in tests/unit/render/export/text_exports_test.cpp and tests/cli.
#pragma once

#include <attnviz/trace.h>

#include <string>
#include <string_view>

#include "base/thread_pool.h"
#include "render/byte_sink.h"
#include "render/export/json_document.h"

namespace attnviz {

// `text` as a JSON string, in quotes, that may also appear inside a <script> element.
std::string json_string(std::string_view text);

// `text` as a field of CSV (RFC 4180): quoted where a comma, quote or line break needs it, if it is empty, which distinguishes it
// from nothing, and around outer spaces, which some readers strip.
std::string csv_field(std::string_view text);

// One JSON document (json_document.h), ending in a newline. A pool makes it faster; the bytes are the same.
void write_json(const Trace& trace, const ByteSink& sink);
void write_json(const Trace& trace, const ByteSink& sink, const JsonLayout& layout, ThreadPool* pool);

// A header line and one line per cell: layer,head,query,key,query_text,key_text,weight (RFC 4180 quoting).
void write_csv(const Trace& trace, const ByteSink& sink);

}  // namespace attnviz
