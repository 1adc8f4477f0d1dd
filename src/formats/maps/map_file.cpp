// See map_file.h.
#include "formats/maps/map_file.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/setting_error.h"
#include "base/utf8.h"
#include "formats/json_scanner.h"
#include "formats/maps/attention_document.h"
#include "formats/maps/npz_reader.h"
#include "formats/maps/plain_maps.h"

namespace attnviz {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostListed = 40;  // arrays of a message

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", where, what));
}

// `parts` follow the place; the settings among them are what to change.
[[noreturn]] void fail_setting(const std::string& where, const std::vector<SettingError::Part>& parts) {
  std::vector<SettingError::Part> all{where + ": "};
  for (const SettingError::Part& part : parts) all.push_back(part);
  throw SettingError(ErrorKind::kInput, std::move(all));
}

std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Files that users may take for files of maps, by their first bytes.
std::string guess_kind(std::string_view text) {
  struct Beginning {
    std::string_view bytes;
    const char* what;
  };
  constexpr std::array<Beginning, 9> kBeginnings{{{"\x89PNG", "a PNG picture, whose numbers are gone"},
                                                  {"%PDF", "a PDF, whose numbers are gone"},
                                                  {"<", "an HTML or SVG page"},
                                                  {"\x1F\x8B", "a gzip file; unpack it first: gunzip -c FILE | attnviz render -"},
                                                  {"\x80", "a Python pickle, which is never loaded; save it with numpy.savez"},
                                                  {"PK\x05\x06", "an archive without an array"},
                                                  {"\x89HDF", "an HDF5 file; save the array with numpy.savez"},
                                                  {"layer,head,", "a CSV; draw the JSON or NPZ of the same maps"},
                                                  {"GGUF", "a model, not maps"}}};
  for (const Beginning& one : kBeginnings) {
    if (text.starts_with(one.bytes)) return fmt::format("is {}", one.what);
  }
  return "is not a file of maps";
}

void refuse_line(const MapFileOptions& options, const char* what) {
  if (options.line) fail_setting(options.where, {fmt::format("is {}, which has no lines; leave ", what), Setting::kLine, " out"});
}

// The wanted line of a JSONL file, as a text of its own.
std::string_view find_line(std::string_view text, std::size_t line, const std::string& where) {
  std::size_t number = 1;
  for (; number < line; ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || end + 1 == text.size()) {
      fail(where, fmt::format("has no line {}; expected 1 to {}", line, number));
    }
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// The kind of maps that do not name it: two different lists of tokens are of two texts.
Site kind_of(const Trace& trace) {
  const auto is_part = [](const std::vector<Token>& tokens) { return tokens.front().position.has_value(); };
  const auto same_text = [](const Token& a, const Token& b) { return a.text == b.text; };
  const bool same = std::equal(trace.queries.begin(), trace.queries.end(), trace.keys.begin(), trace.keys.end(), same_text);
  return same || is_part(trace.queries) || is_part(trace.keys) ? Site::kSelf : Site::kCross;
}

MapFile read_document(std::string_view text, const MapFileOptions& options) {
  const std::string where = options.line ? fmt::format("{}: line {}", options.where, *options.line) : options.where;
  if (options.line) text = find_line(text, *options.line, options.where);
  JsonScanner json(text, where);
  if (json.at_end()) fail(where, "is empty");
  if (json.peek() != '{') json.fail_unexpected("a JSON object");
  MapFile file = read_attention_document(&json);
  if (json.at_end()) return file;
  if (json.peek() == '{' && !options.line) {
    const auto n_line = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
    fail_setting(where, {fmt::format("holds more than one document (lines of JSON); choose one of its {} lines with ", n_line),
                         Setting::kLine});
  }
  json.fail_unexpected("nothing after the document");
}

MapFile read_json(std::string_view text, const MapFileOptions& options) {
  if (options.array) fail_setting(options.where, {"is JSON, which has no named arrays; leave ", Setting::kArray, " out"});
  JsonScanner json(text, options.where);
  if (json.peek() != '[' || options.line) return read_document(text, options);
  return read_nested_lists(&json);
}

// The archive that attnviz writes: its document, with the weights of its arrays.
MapFile read_own_archive(NpzReader* archive, const std::string& where) {
  const std::vector<std::string> texts = read_texts(archive->read("document"));
  if (texts.size() != 1) fail(where, fmt::format("array \"document\": holds {} texts; expected one", texts.size()));
  JsonScanner json(texts[0], where + ": array \"document\"");
  MapFile file = read_attention_document(&json, false);
  if (!json.at_end()) json.fail_unexpected("nothing after the document");
  if (!file.trace.maps.empty()) json.fail("holds maps; expected them in the array \"maps\"");
  file.decimals = MapFile::kNotRounded;
  const NpyArray array = archive->read("maps");
  const std::vector<std::size_t> layers = read_indices(archive->read("layers"));
  const std::vector<std::size_t> heads = read_indices(archive->read("heads"));
  if (!array.is_real() || array.shape.size() != 3 || array.n_item() == 0) {
    fail(array.name, fmt::format("is of shape [{}]; expected real numbers, [maps, queries, keys]", fmt::join(array.shape, ", ")));
  }
  if (layers.size() != array.shape[0] || heads.size() != array.shape[0]) {
    fail(where,
         fmt::format("has {} maps, {} layers and {} heads; expected as many of each", array.shape[0], layers.size(), heads.size()));
  }
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    AttentionMap map{kind_of(file.trace), layers[i], heads[i], array.shape[1], array.shape[2], {}};
    map.pattern.resize(map.n_query * map.n_key);
    read_matrix(array, i, map.pattern.data());
    file.trace.maps.push_back(std::move(map));
  }
  check_maps_fit(&file.trace, where);
  return file;
}

MapFile read_archive(std::span<const std::byte> bytes, const MapFileOptions& options) {
  refuse_line(options, "an NPZ archive");
  NpzReader archive(bytes, options.where);
  if (archive.names().empty()) {
    fail(options.where,
         "is a zip archive without a NumPy array; expected an .npz (of a PyTorch file save the tensor with numpy.savez)");
  }
  if (options.array) return read_plain_array(archive.read(*options.array), options.where);
  if (archive.has("document") && archive.has("maps")) return read_own_archive(&archive, options.where);
  if (archive.names().size() > 1) {
    std::vector<std::string> shown;
    for (const std::string& name : archive.names()) {
      if (shown.size() < kMostListed) shown.push_back(quote_text(name, 40));
    }
    fail_setting(options.where, {fmt::format("holds {} arrays; choose one with ", archive.names().size()), Setting::kArray,
                                 fmt::format(": {}", fmt::join(shown, ", "))});
  }
  return read_plain_array(archive.read(archive.names()[0]), options.where);
}

std::vector<Token> plain_tokens(const std::optional<std::vector<std::string>>& spelled, std::size_t n) {
  std::vector<Token> tokens(n);
  for (std::size_t i = 0; i < n; ++i) {
    tokens[i].id = -1;
    tokens[i].text = spelled ? (*spelled)[i] : std::to_string(i);
  }
  return tokens;
}

}  // namespace

MapFile read_map_file(std::span<const std::byte> bytes, const MapFileOptions& options) {
  if (looks_like_zip(bytes)) return read_archive(bytes, options);
  if (looks_like_npy(bytes)) {
    refuse_line(options, "a NumPy array");
    if (options.array) fail_setting(options.where, {"is a single NumPy array; leave ", Setting::kArray, " out"});
    return read_plain_array(parse_npy(bytes, options.where), options.where);
  }
  std::string_view text = text_of(bytes);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) fail(options.where, "is empty; expected maps as JSON, .npy or .npz");
  if (text[first] != '{' && text[first] != '[') {
    fail(options.where, fmt::format("{}; expected JSON (of attnviz, or nested lists of numbers), .npy or .npz", guess_kind(text)));
  }
  return read_json(text, options);
}

void name_tokens(MapFile* file, const std::optional<std::vector<std::string>>& queries,
                 const std::optional<std::vector<std::string>>& keys, const std::string& where) {
  Trace& trace = file->trace;
  const std::size_t n_query = trace.maps.front().n_query;
  const std::size_t n_key = trace.maps.front().n_key;
  const auto check = [&](const std::optional<std::vector<std::string>>& spelled, std::size_t n, Setting setting, const char* what) {
    if (!spelled || spelled->size() == n) return;
    fail_setting(where, {fmt::format("its maps have {} {}; ", n, what), setting, fmt::format(" gives {} tokens", spelled->size())});
  };
  check(queries, n_query, Setting::kTokens, "rows (queries)");
  check(keys, n_key, Setting::kKeyTokens, "columns (keys)");
  if (queries && !keys && n_key != n_query) {
    fail_setting(where,
                 {fmt::format("its maps have {} rows and {} columns; expected the columns' tokens as well: ", n_query, n_key),
                  Setting::kKeyTokens});
  }
  trace.queries = plain_tokens(queries, n_query);
  trace.keys = keys ? plain_tokens(keys, n_key) : n_key == n_query ? trace.queries : plain_tokens(std::nullopt, n_key);
  const Site kind = kind_of(trace);
  for (AttentionMap& map : trace.maps) map.site = kind;
}

bool is_json_list(std::string_view text) {
  const std::size_t bracket = text.find_first_not_of(" \t\r\n");
  if (bracket == std::string_view::npos || text[bracket] != '[') return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n", bracket + 1);
  return first != std::string_view::npos && text[first] == '"';
}

std::vector<std::string> parse_token_file(std::string_view text, const std::string& where) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto offset = find_invalid_utf8(text)) {
    fail(where, fmt::format("is not valid UTF-8 at byte {}; expected tokens as UTF-8 text", *offset));
  }
  std::vector<std::string> tokens;
  if (is_json_list(text)) {
    JsonScanner json(text, where);
    json.read_list([&](std::size_t) { tokens.push_back(json.read_string("a token")); });
    if (!json.at_end()) json.fail_unexpected("nothing after the list of tokens");
  } else {
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      tokens.emplace_back(line);
    }
  }
  if (tokens.empty()) fail(where, "holds no tokens; expected a JSON list of strings, or one token per line");
  return tokens;
}

}  // namespace attnviz
