// See attention_document.h.
#include "formats/maps/attention_document.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "formats/maps/json_matrix.h"
#include "formats/maps/npy.h"

namespace attnviz {
namespace {

constexpr std::string_view kSchema = "attnviz.attention/1";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", where, what));
}

// The required fields of an object, and which of them were found.
template <std::size_t N>
class Required {
 public:
  explicit Required(const std::array<std::string_view, N>& names) : names_(names) {}

  void met(std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) met_[static_cast<std::size_t>(found - names_.begin())] = true;
  }
  bool is_met(std::string_view name) const {
    return met_[static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin())];
  }
  void check(const JsonScanner& json, const char* what) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (!met_[i]) json.fail(fmt::format("{} has no field \"{}\"", what, names_[i]));
    }
  }

 private:
  std::array<std::string_view, N> names_;
  std::array<bool, N> met_{};
};

std::size_t read_size(JsonScanner* json, const char* what, std::size_t least = 0) {
  const std::int64_t value = json->read_integer(what);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (value < static_cast<std::int64_t>(least) || value > kMost) {
    json->fail(fmt::format("{}: {} is out of range; expected {} to {}", what, value, least, kMost));
  }
  return static_cast<std::size_t>(value);
}

// A number, or nothing for null.
std::optional<std::size_t> read_size_or_null(JsonScanner* json, const char* what) {
  if (json->peek() != 'n') return read_size(json, what);
  json->skip_value();
  return std::nullopt;
}

std::vector<std::string> read_strings(JsonScanner* json, const char* what) {
  std::vector<std::string> strings;
  json->read_list([&](std::size_t) { strings.push_back(json->read_string(what)); });
  return strings;
}

template <typename Enum, std::size_t N>
Enum read_name(JsonScanner* json, const char* what, const std::array<Enum, N>& all, std::string_view (*name_of)(Enum)) {
  const std::string name = json->read_string(what);
  std::string known;
  for (const Enum one : all) {
    if (name == name_of(one)) return one;
    known += (known.empty() ? "" : ", ") + std::string(name_of(one));
  }
  json->fail(fmt::format("{}: {} is not known; expected one of: {}", what, quote_text(name), known));
}

std::string map_name(const AttentionMap& map) {
  const auto text = [](std::size_t number) { return number == kSeveral ? "null" : std::to_string(number); };
  return fmt::format("layer {}, head {}", text(map.layer), text(map.head));
}

// Gives combined maps the number of the first layer or head, once it is known that all maps are combined.
void name_reduced(Trace* trace, const std::string& where) {
  const bool over_layers = trace->reduced && trace->reduced->over_layers;
  const bool over_heads = trace->reduced && trace->reduced->over_heads;
  for (AttentionMap& map : trace->maps) {
    if ((map.layer == kSeveral) != over_layers || (map.head == kSeveral) != over_heads) {
      fail(where, fmt::format("{}: does not fit \"reduced\", which names the combined layers and heads", map_name(map)));
    }
    if (over_layers) map.layer = trace->reduced->layers.front();
    if (over_heads) map.head = trace->reduced->heads.front();
  }
}

class DocumentReader {
 public:
  DocumentReader(JsonScanner* json, bool with_maps) : json_(*json), with_maps_(with_maps) {}

  MapFile read() {
    Required<7> required({"model", "texts", "queries", "keys", "maps", "notes", "command"});
    json_.read_object([&](const std::string& name) {
      required.met(name);
      read_field(name);
    });
    if (!error_.empty()) fail(json_.where(), fmt::format("is the error record of a line: {}", error_));
    if (!is_ours_) {
      fail(json_.where(), fmt::format("is a JSON object without \"schema\": \"{}\"; expected a document of attnviz, or nested "
                                      "lists of numbers, [query][key] or more",
                                      kSchema));
    }
    required.check(json_, "the document");
    check_places(file_.trace.queries, "queries");
    check_places(file_.trace.keys, "keys");
    // A document that was made from another names both commands; the first of them made the maps.
    if (file_.trace.provenance.source.empty()) file_.trace.provenance.source = std::move(command_);
    file_.decimals = json_.most_decimals();
    if (with_maps_) check_maps_fit(&file_.trace, json_.where());
    return std::move(file_);
  }

 private:
  void read_field(const std::string& name) {
    Trace& trace = file_.trace;
    if (name == "schema") return read_schema();
    if (name == "line") return json_.skip_value();
    if (name == "model") return read_model();
    if (name == "texts") return void(trace.texts = read_strings(&json_, "texts"));
    if (name == "queries") return read_tokens("queries", &trace.queries);
    if (name == "keys") return read_tokens("keys", &trace.keys);
    if (name == "focus") return void(trace.focus = json_.read_string("focus"));
    if (name == "pool") return read_pool();
    if (name == "reduced") return read_reduced();
    if (name == "maps") return json_.read_list([&](std::size_t i) { read_map(i); });
    if (name == "notes") return read_notes();
    if (name == "command") return void(command_ = json_.read_string("command"));
    if (name == "source_command") return void(trace.provenance.source = json_.read_string("source_command"));
    if (name == "error") return read_error();
    leave_out(name);
  }

  // The only code that reads notes: see kWordsMergedNote.
  void read_notes() {
    Trace& trace = file_.trace;
    trace.notes = read_strings(&json_, "notes");
    const auto has = [&](std::string_view note) {
      return std::find(trace.notes.begin(), trace.notes.end(), note) != trace.notes.end();
    };
    trace.words_merged = has(kWordsMergedNote);
    trace.special_hidden = has(kSpecialHiddenNote);
  }

  void read_schema() {
    const std::string schema = json_.read_string("schema");
    if (schema != kSchema) {
      json_.fail(fmt::format("schema: {} cannot be read by this version; expected \"{}\"", quote_text(schema), kSchema));
    }
    is_ours_ = true;
  }

  // {"line": 2, "error": {"kind": "input", "message": "..."}}: written by batch in place of a line that failed.
  void read_error() {
    if (json_.peek() != '{') return leave_out("error");
    error_ = "no message";
    json_.read_object([&](const std::string& name) {
      if (name != "message") return json_.skip_value();
      error_ = quote_text(json_.read_string("message"), 400);
    });
  }

  void leave_out(const std::string& name) {
    json_.skip_value();
    const std::string remark = fmt::format("field {} is not known and was left out", quote_text(name));
    std::vector<std::string>& remarks = file_.remarks;
    if (remarks.size() < 10 && std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
  }

  void read_model() {
    ModelInfo& model = file_.trace.model;
    Required<4> required({"name", "family", "layers", "heads"});
    json_.read_object([&](const std::string& name) {
      required.met(name);
      if (name == "name") return void(model.name = json_.read_string("model.name"));
      if (name == "family") return void(model.family = json_.read_string("model.family"));
      if (name == "layers") return void(model.n_layer = read_size(&json_, "model.layers", 1));
      if (name == "heads") return void(model.n_head = read_size(&json_, "model.heads", 1));
      leave_out(name);
    });
    required.check(json_, "model");
  }

  void read_tokens(const char* what, std::vector<Token>* tokens) {
    json_.read_list([&](std::size_t) { tokens->push_back(read_token()); });
    if (tokens->empty()) json_.fail(fmt::format("{}: is empty; expected at least one token", what));
  }

  Token read_token() {
    constexpr std::array kKinds{TokenKind::kWord, TokenKind::kContinuation, TokenKind::kUnknown, TokenKind::kSpecial,
                                TokenKind::kBytes};
    Token token;
    std::optional<std::size_t> n_tokens;
    Required<7> required({"id", "text", "begin", "end", "kind", "word", "segment"});
    const auto index_of = [](std::optional<std::size_t> value) { return value ? static_cast<std::int32_t>(*value) : -1; };
    json_.read_object([&](const std::string& name) {
      required.met(name);
      if (name == "id") return void(token.id = index_of(read_size_or_null(&json_, "id")));
      if (name == "text") return void(token.text = json_.read_string("text"));
      if (name == "begin") return void(token.begin = read_size(&json_, "begin"));
      if (name == "end") return void(token.end = read_size(&json_, "end"));
      if (name == "kind") return void(token.kind = read_name(&json_, "kind", kKinds, token_kind_name));
      if (name == "word") return void(token.word = index_of(read_size_or_null(&json_, "word")));
      if (name == "segment") return void(token.segment = index_of(read_size(&json_, "segment")));
      if (name == "position") return void(token.position = read_size(&json_, "position"));
      if (name == "tokens") return void(n_tokens = read_size(&json_, "tokens", 1));
      if (name == "generated") return read_generated(&token);
      leave_out(name);
    });
    required.check(json_, "a token");
    if (token.position.has_value() != n_tokens.has_value())
      json_.fail("a token has one of \"position\" and \"tokens\"; expected both");
    token.n_tokens = n_tokens.value_or(1);
    return token;
  }

  void read_generated(Token* token) {
    if (json_.peek() != 't') json_.fail_unexpected("\"generated\": true");
    json_.skip_value();
    token->generated = true;
  }

  void read_pool() {
    Pool pool;
    Required<3> required({"rows", "columns", "by"});
    json_.read_object([&](const std::string& name) {
      required.met(name);
      if (name == "rows") return void(pool.rows = read_size(&json_, "pool.rows", 1));
      if (name == "columns") return void(pool.columns = read_size(&json_, "pool.columns", 1));
      if (name == "by") return void(pool.by = read_name(&json_, "pool.by", std::array{PoolBy::kMax, PoolBy::kMean}, pool_by_name));
      leave_out(name);
    });
    required.check(json_, "pool");
    file_.trace.pool = pool;
  }

  void read_reduced() {
    Reduction reduced;
    std::string over;
    Required<4> required({"by", "over", "layers", "heads"});
    const auto read_numbers = [&](const char* what, std::vector<std::size_t>* numbers) {
      json_.read_list([&](std::size_t) { numbers->push_back(read_size(&json_, what)); });
      if (numbers->empty()) json_.fail(fmt::format("{}: is empty", what));
    };
    json_.read_object([&](const std::string& name) {
      required.met(name);
      if (name == "by") {
        return void(reduced.by = read_name(&json_, "reduced.by", std::array{ReduceBy::kMean, ReduceBy::kMax}, reduce_by_name));
      }
      if (name == "over") return void(over = json_.read_string("reduced.over"));
      if (name == "layers") return read_numbers("reduced.layers", &reduced.layers);
      if (name == "heads") return read_numbers("reduced.heads", &reduced.heads);
      leave_out(name);
    });
    required.check(json_, "reduced");
    if (over != "heads" && over != "layers" && over != "all") {
      json_.fail(fmt::format("reduced.over: {} is not known; expected one of: heads, layers, all", quote_text(over)));
    }
    reduced.over_layers = over != "heads";
    reduced.over_heads = over != "layers";
    file_.trace.reduced = std::move(reduced);
  }

  void read_map(std::size_t index) {
    AttentionMap map;
    Required<4> required({"kind", "layer", "head", "weights"});
    json_.read_object([&](const std::string& name) {
      required.met(name);
      if (name == "kind") {
        map.site = read_name(&json_, "kind", kAllSites, site_name);
      } else if (name == "layer") {
        map.layer = read_size_or_null(&json_, "layer").value_or(kSeveral);
      } else if (name == "head") {
        map.head = read_size_or_null(&json_, "head").value_or(kSeveral);
      } else if (name == "weights") {
        const bool named = required.is_met("layer") && required.is_met("head");
        read_json_matrix(&json_, named ? map_name(map) : fmt::format("maps[{}]", index), &map);
      } else {
        leave_out(name);
      }
    });
    required.check(json_, "a map");
    file_.trace.maps.push_back(std::move(map));
  }

  // Checks the places of tokens, because later steps cut the text there.
  void check_places(const std::vector<Token>& tokens, const char* what) const {
    const std::vector<std::string>& texts = file_.trace.texts;
    const auto on_boundary = [](const std::string& text, std::size_t at) {
      return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const auto segment = static_cast<std::size_t>(token.segment);
      const bool known = segment < texts.size();
      const bool nowhere = texts.empty() && segment == 0 && token.begin == 0 && token.end == 0;
      const bool fits = known && token.begin <= token.end && token.end <= texts[segment].size() &&
                        on_boundary(texts[segment], token.begin) && on_boundary(texts[segment], token.end);
      if (fits || nowhere) continue;
      fail(json_.where(),
           fmt::format(
               "{}[{}]: bytes {} to {} are not a place in texts[{}]{}", what, i, token.begin, token.end, segment,
               known ? fmt::format(" of {} bytes, on character boundaries", texts[segment].size()) : ", which is not there"));
    }
  }

  JsonScanner& json_;
  bool with_maps_;
  MapFile file_;
  bool is_ours_ = false;
  std::string error_;
  std::string command_;
};

}  // namespace

void check_maps_fit(Trace* trace, const std::string& where) {
  std::vector<AttentionMap>& maps = trace->maps;
  if (maps.empty()) fail(where, "holds no maps; expected at least one");
  name_reduced(trace, where);
  const auto place = [](const AttentionMap& map) { return std::pair(map.layer, map.head); };
  std::stable_sort(maps.begin(), maps.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const AttentionMap& map = maps[i];
    const std::string name = fmt::format("layer {}, head {}", map.layer, map.head);
    if (i > 0 && place(maps[i - 1]) == place(map)) fail(where, fmt::format("{}: occurs twice; expected each map once", name));
    if (map.layer >= trace->model.n_layer || map.head >= trace->model.n_head) {
      fail(where,
           fmt::format("{}: the document's model has {} layers of {} heads", name, trace->model.n_layer, trace->model.n_head));
    }
    if (map.n_query != trace->queries.size() || map.n_key != trace->keys.size()) {
      fail(where, fmt::format("{}: has {} rows of {} weights; expected {} rows (queries) of {} (keys)", name, map.n_query,
                              map.n_key, trace->queries.size(), trace->keys.size()));
    }
  }
}

MapFile read_attention_document(JsonScanner* json, bool with_maps) { return DocumentReader(json, with_maps).read(); }

}  // namespace attnviz
