// See text_exports.h. Both writers stream: memory does not grow with the maps.
#include "render/export/text_exports.h"

#include <fmt/format.h>

#include "base/replace_all.h"
#include "render/byte_sink.h"
#include "render/export/export_checks.h"
#include "render/parallel_write.h"
#include "trace/reduce.h"

namespace attnviz {
namespace {

// Which token of the text an entry of a list is, or begins with.
std::size_t text_position(const std::vector<Token>& tokens, std::size_t place) { return tokens[place].position.value_or(place); }

// What a token brings to its cells, with the comma behind it.
struct CsvToken {
  std::string position;
  std::string text;
};

std::vector<CsvToken> csv_tokens(const std::vector<Token>& tokens) {
  std::vector<CsvToken> fields;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    fields.push_back({fmt::format("{},", text_position(tokens, i)), fmt::format("{},", csv_field(tokens[i].text))});
  }
  return fields;
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool outer_space = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!text.empty() && !outer_space && text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted(text);
  replace_all(&quoted, "\"", "\"\"");
  return fmt::format("\"{}\"", quoted);
}

void write_json(const Trace& trace, const ByteSink& sink) { write_json(trace, sink, {}, nullptr); }

void write_json(const Trace& trace, const ByteSink& sink, const JsonLayout& layout, ThreadPool* pool) {
  const JsonDocument document(trace, layout);
  write_pieces(
      pool, document.n_pieces(), [&](std::size_t index, std::string* out) { document.append_piece(index, out); }, sink);
}

void write_csv(const Trace& trace, const ByteSink& sink) {
  ChunkedWriter out(sink);
  const std::vector<CsvToken> queries = csv_tokens(trace.queries);
  const std::vector<CsvToken> keys = csv_tokens(trace.keys);
  out.put("layer,head,query,key,query_text,key_text,weight\n");
  for (const AttentionMap& map : trace.maps) {
    check_shape(trace, map);
    for (std::size_t query_pos = 0; query_pos < map.n_query && out.open(); ++query_pos) {
      const std::string row = fmt::format("{},{},{}", layer_text(trace, map), head_text(trace, map), queries[query_pos].position);
      for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
        const float weight = map.at(query_pos, key_pos);
        check_weight(map, weight);
        out.put(row);
        out.put(keys[key_pos].position);
        out.put(queries[query_pos].text);
        out.put(keys[key_pos].text);
        out.put_number(weight);
        out.put("\n");
      }
    }
  }
  out.flush();
}

}  // namespace attnviz
