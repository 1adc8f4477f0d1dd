// Trace -> one JSON document "attnviz.attention/1" (docs/JSON.md, docs/attention.schema.json), in pieces that can be made in
// parallel. Numbers are the shortest decimal that reads back as the same f32; they are never copied into a tree of values.
// Tested in tests/unit/render/export/text_exports_test.cpp and tests/cli.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <optional>
#include <string>

namespace attnviz {

struct JsonLayout {
  bool one_line = false;            // a line of a JSONL file; otherwise one matrix row per line
  std::optional<std::size_t> line;  // which line of the input this is the result of
};

class JsonDocument {
 public:
  // `trace` must outlive it. Throws Error(kBug) for maps that do not fit their tokens.
  explicit JsonDocument(const Trace& trace, const JsonLayout& layout = {});

  std::size_t n_pieces() const { return n_pieces_; }

  // Appends piece `index`; all pieces in order are the document, which ends in a newline. Throws Error(kBug) for a weight that is
  // not finite. May be called from several threads at once.
  void append_piece(std::size_t index, std::string* out) const;

 private:
  void append_head(std::string* out) const;
  void append_rows(std::size_t begin, std::size_t end, std::string* out) const;
  void append_tail(std::string* out) const;

  const Trace& trace_;
  JsonLayout layout_;
  const char* line_break_;
  std::size_t n_rows_;  // of all maps together
  std::size_t rows_of_piece_;
  std::size_t n_pieces_;
};

}  // namespace attnviz
