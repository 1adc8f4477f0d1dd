// See json_document.h. A piece is some rows of the maps, counted through all of them; the first begins with everything before the
// maps, the last ends with everything after them.
#include "render/export/json_document.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/command_text.h"
#include "render/export/export_checks.h"
#include "render/export/text_exports.h"

namespace attnviz {
namespace {

constexpr std::size_t kCellsOfPiece = 4096;
constexpr std::size_t kLongestNumber = 16;  // "1.17549435e-38" and the comma

void append_strings(const std::vector<std::string>& texts, std::string* out) {
  *out += "[";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) *out += ", ";
    *out += json_string(texts[i]);
  }
  *out += "]";
}

void append_tokens(const std::vector<Token>& tokens, const char* line_break, std::string* out) {
  *out += "[";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (i > 0) *out += ",";
    *out += line_break;
    *out += fmt::format(R"({{"id": {}, "text": {}, "begin": {}, "end": {}, "kind": "{}", "word": {}, "segment": {})",
                        token.id < 0 ? "null" : std::to_string(token.id), json_string(token.text), token.begin, token.end,
                        token_kind_name(token.kind), token.word < 0 ? "null" : std::to_string(token.word), token.segment);
    if (token.generated) *out += R"(, "generated": true)";
    if (token.position) *out += fmt::format(R"(, "position": {}, "tokens": {})", *token.position, token.n_tokens);
    *out += "}";
  }
  *out += "]";
}

std::string number_or_null(std::size_t number, bool none) { return none ? "null" : std::to_string(number); }

// weights [n_key], written where they will stay.
void append_row(const AttentionMap& map, const float* weights, std::string* out) {
  const std::size_t begin = out->size();
  out->resize(begin + 2 + map.n_key * kLongestNumber);
  char* at = out->data() + begin;
  char* const end = out->data() + out->size();
  *at++ = '[';
  for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
    check_weight(map, weights[key_pos]);
    if (key_pos > 0) *at++ = ',';
    at = std::to_chars(at, end, weights[key_pos]).ptr;
  }
  *at++ = ']';
  out->resize(static_cast<std::size_t>(at - out->data()));
}

}  // namespace

JsonDocument::JsonDocument(const Trace& trace, const JsonLayout& layout)
    : trace_(trace),
      layout_(layout),
      line_break_(layout.one_line ? "" : "\n"),
      n_rows_(trace.maps.size() * trace.queries.size()),
      rows_of_piece_(std::max<std::size_t>(1, kCellsOfPiece / std::max<std::size_t>(1, trace.keys.size()))),
      n_pieces_(std::max<std::size_t>(1, (n_rows_ + rows_of_piece_ - 1) / rows_of_piece_)) {
  for (const AttentionMap& map : trace.maps) check_shape(trace, map);
}

void JsonDocument::append_piece(std::size_t index, std::string* out) const {
  if (index == 0) append_head(out);
  append_rows(index * rows_of_piece_, std::min(n_rows_, (index + 1) * rows_of_piece_), out);
  if (index + 1 == n_pieces_) append_tail(out);
}

void JsonDocument::append_head(std::string* out) const {
  const ModelInfo& model = trace_.model;
  *out += "{\"schema\": \"attnviz.attention/1\",";
  *out += line_break_;
  if (layout_.line) *out += fmt::format("\"line\": {},{}", *layout_.line, line_break_);
  *out += fmt::format("\"model\": {{\"name\": {}, \"family\": {}, \"layers\": {}, \"heads\": {}}},{}\"texts\": ",
                      json_string(model.name), json_string(model.family), model.n_layer, model.n_head, line_break_);
  append_strings(trace_.texts, out);
  *out += fmt::format(",{}\"queries\": ", line_break_);
  append_tokens(trace_.queries, line_break_, out);
  *out += fmt::format(",{}\"keys\": ", line_break_);
  append_tokens(trace_.keys, line_break_, out);
  if (trace_.pool) {
    *out += fmt::format(",{}\"pool\": {{\"rows\": {}, \"columns\": {}, \"by\": \"{}\"}}", line_break_, trace_.pool->rows,
                        trace_.pool->columns, pool_by_name(trace_.pool->by));
  }
  if (trace_.reduced) {
    const Reduction& reduced = *trace_.reduced;
    const char* over = !reduced.over_layers ? "heads" : reduced.over_heads ? "all" : "layers";
    *out += fmt::format(R"(,{}"reduced": {{"by": "{}", "over": "{}", "layers": [{}], "heads": [{}]}})", line_break_,
                        reduce_by_name(reduced.by), over, fmt::join(reduced.layers, ", "), fmt::join(reduced.heads, ", "));
  }
  if (!trace_.focus.empty()) *out += fmt::format(",{}\"focus\": {}", line_break_, json_string(trace_.focus));
  *out += fmt::format(",{}\"maps\": [", line_break_);
}

void JsonDocument::append_rows(std::size_t begin, std::size_t end, std::string* out) const {
  const std::size_t n_query = trace_.queries.size();
  for (std::size_t row = begin; row < end; ++row) {
    const AttentionMap& map = trace_.maps[row / n_query];
    const std::size_t query_pos = row % n_query;
    if (query_pos == 0) {
      if (row > 0) *out += ",";
      *out += fmt::format(R"({}{{"kind": "{}", "layer": {}, "head": {}, "weights": [)", line_break_, site_name(map.site),
                          number_or_null(map.layer, trace_.reduced && trace_.reduced->over_layers),
                          number_or_null(map.head, trace_.reduced && trace_.reduced->over_heads));
    } else {
      *out += ",";
    }
    *out += line_break_;
    append_row(map, map.pattern.data() + query_pos * map.n_key, out);
    if (query_pos + 1 == n_query) *out += "]}";
  }
}

void JsonDocument::append_tail(std::string* out) const {
  *out += fmt::format("],{}\"notes\": ", line_break_);
  append_strings(trace_.notes, out);
  *out += fmt::format(",{}\"command\": {}", line_break_, json_string(command_text(trace_.provenance)));
  if (!trace_.provenance.source.empty()) {
    *out += fmt::format(",{}\"source_command\": {}", line_break_, json_string(trace_.provenance.source));
  }
  *out += "}\n";
}

}  // namespace attnviz
