// See text_exports.h. Both writers stream: one matrix row a line in JSON, one cell a line in CSV.
#include "render/text_exports.h"

#include "render/chunked_writer.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace attnviz {

namespace {

// Neither JSON nor CSV has a spelling for a weight that is not finite.
void check_weight(const AttentionMap& map, float weight) {
  if (std::isfinite(weight)) return;
  throw Error(ErrorKind::kBug,
              fmt::format("layer {}, head {}: an attention weight is not a number; expected 0 .. 1, found {}; please "
                          "report the text and the model",
                          map.layer, map.head, weight));
}

void check_shape(const Trace& trace, const AttentionMap& map) {
  const bool fits =
      map.n_query == trace.queries.size() && map.n_key == trace.keys.size() && map.pattern.size() == map.n_query * map.n_key;
  if (fits) return;
  throw Error(
      ErrorKind::kBug,
      fmt::format("layer {}, head {}: the map does not fit its tokens; expected [{}, {}], found [{}, {}] with {} "
                  "weights; please report the command",
                  map.layer, map.head, trace.queries.size(), trace.keys.size(), map.n_query, map.n_key, map.pattern.size()));
}

void replace_all(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  replace_all(&quoted, "</", "<\\/");
  replace_all(&quoted, "<!--", "<\\u0021--");
  replace_all(&quoted, "\xE2\x80\xA8", "\\u2028");
  replace_all(&quoted, "\xE2\x80\xA9", "\\u2029");
  return quoted;
}

namespace {

void put_strings(ChunkedWriter* out, const std::vector<std::string>& texts) {
  out->put("[");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out->put(", ");
    out->put(json_string(texts[i]));
  }
  out->put("]");
}

void put_tokens(ChunkedWriter* out, const std::vector<Token>& tokens) {
  out->put("[");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    out->put(i == 0 ? "\n" : ",\n");
    out->put(fmt::format(R"({{"id": {}, "text": {}, "begin": {}, "end": {}, "kind": "{}", "word": {}, "segment": {})", token.id,
                         json_string(token.text), token.begin, token.end, token_kind_name(token.kind),
                         token.word < 0 ? "null" : std::to_string(token.word), token.segment));
    if (token.generated) out->put(R"(, "generated": true)");
    if (token.position) out->put(fmt::format(R"(, "position": {}, "tokens": {})", *token.position, token.n_tokens));
    out->put("}");
  }
  out->put("]");
}

// One map; stops after the row in which the reader goes away.
void put_map(ChunkedWriter* out, const AttentionMap& map) {
  out->put(fmt::format(R"({{"kind": "{}", "layer": {}, "head": {}, "weights": [)", map_kind_name(map.kind), map.layer, map.head));
  for (std::size_t query_pos = 0; query_pos < map.n_query && out->open(); ++query_pos) {
    out->put(query_pos == 0 ? "\n[" : ",\n[");
    for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
      const float weight = map.at(query_pos, key_pos);
      check_weight(map, weight);
      if (key_pos > 0) out->put(",");
      out->put_number(weight);
    }
    out->put("]");
  }
  out->put("]}");
}

// Which token of the text an entry of a list is, or begins with.
std::size_t text_position(const std::vector<Token>& tokens, std::size_t place) { return tokens[place].position.value_or(place); }

// RFC 4180: quoted where a comma, quote or line break needs it; also around outer spaces, which some readers strip.
std::string csv_field(std::string_view text) {
  const bool outer_space = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!text.empty() && !outer_space && text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted(text);
  replace_all(&quoted, "\"", "\"\"");
  return "\"" + quoted + "\"";
}

std::vector<std::string> csv_fields(const std::vector<Token>& tokens) {
  std::vector<std::string> fields;
  for (const Token& token : tokens) fields.push_back(csv_field(token.text));
  return fields;
}

}  // namespace

void write_json(const Trace& trace, const ByteSink& sink) {
  ChunkedWriter out(sink);
  const ModelInfo& model = trace.model;
  out.put("{\"schema\": \"attnviz.attention/1\",\n");
  out.put(fmt::format("\"model\": {{\"name\": {}, \"family\": {}, \"layers\": {}, \"heads\": {}}},\n", json_string(model.name),
                      json_string(model.family), model.n_layer, model.n_head));
  out.put("\"texts\": ");
  put_strings(&out, trace.texts);
  out.put(",\n\"queries\": ");
  put_tokens(&out, trace.queries);
  out.put(",\n\"keys\": ");
  put_tokens(&out, trace.keys);
  if (trace.pool) {
    out.put(fmt::format(",\n\"pool\": {{\"rows\": {}, \"columns\": {}, \"by\": \"{}\"}}", trace.pool->rows, trace.pool->columns,
                        pool_by_name(trace.pool->by)));
  }
  out.put(",\n\"maps\": [");
  for (std::size_t i = 0; i < trace.maps.size() && out.open(); ++i) {
    out.put(i == 0 ? "\n" : ",\n");
    check_shape(trace, trace.maps[i]);
    put_map(&out, trace.maps[i]);
  }
  out.put("],\n\"notes\": ");
  put_strings(&out, trace.notes);
  out.put(",\n\"command\": ");
  out.put(json_string(trace.command));
  out.put("}\n");
  out.flush();
}

void write_csv(const Trace& trace, const ByteSink& sink) {
  ChunkedWriter out(sink);
  const std::vector<std::string> query_texts = csv_fields(trace.queries);
  const std::vector<std::string> key_texts = csv_fields(trace.keys);
  out.put("layer,head,query,key,query_text,key_text,weight\n");
  for (const AttentionMap& map : trace.maps) {
    check_shape(trace, map);
    for (std::size_t query_pos = 0; query_pos < map.n_query && out.open(); ++query_pos) {
      for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
        const float weight = map.at(query_pos, key_pos);
        check_weight(map, weight);
        out.put(fmt::format("{},{},{},{},{},{},", map.layer, map.head, text_position(trace.queries, query_pos),
                            text_position(trace.keys, key_pos), query_texts[query_pos], key_texts[key_pos]));
        out.put_number(weight);
        out.put("\n");
      }
    }
  }
  out.flush();
}

}  // namespace attnviz
