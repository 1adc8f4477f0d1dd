// See npz.h. Checksums come before their data in an archive, so that it can go into a pipe: each array is read twice, copied never.
#include "render/export/npz.h"

#include <attnviz/error.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <libdeflate.h>

#include "base/setting_error.h"
#include "base/utf8.h"
#include "render/export/export_checks.h"
#include "render/export/json_document.h"
#include "trace/derived.h"

namespace attnviz {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays are written as they are in memory");

constexpr std::size_t kLongestText = 256;  // code points of a token's text in queries and keys; `document` has them whole
constexpr std::size_t kHeaderAlignment = 64;

struct Entry {
  std::string name;                     // "maps.npy"
  std::string header;                   // of the .npy file
  std::string owned;                    // data made here
  std::vector<std::string_view> parts;  // data that is elsewhere
  std::uint32_t offset = 0;             // in the archive

  std::uint64_t n_byte() const {
    std::uint64_t sum = header.size() + owned.size();
    for (const std::string_view part : parts) sum += part.size();
    return sum;
  }

  std::uint32_t crc() const {
    std::uint32_t sum = libdeflate_crc32(0, header.data(), header.size());
    sum = libdeflate_crc32(sum, owned.data(), owned.size());
    for (const std::string_view part : parts) sum = libdeflate_crc32(sum, part.data(), part.size());
    return sum;
  }
};

template <std::unsigned_integral T>
void append_little(std::string* out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// NEP 1: magic, version 1.0, length, a Python dictionary, padded so that the data is aligned.
std::string npy_header(const std::string& type, const std::string& shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  const std::size_t n_before = 10;
  while ((n_before + dictionary.size() + 1) % kHeaderAlignment != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  append_little(&header, static_cast<std::uint16_t>(dictionary.size()));
  return header + dictionary;
}

Entry map_entry(const Trace& trace) {
  Entry entry{
      "maps.npy", npy_header("<f4", fmt::format("{}, {}, {}", trace.maps.size(), trace.queries.size(), trace.keys.size())), {}, {}};
  for (const AttentionMap& map : trace.maps) {
    check_shape(trace, map);
    for (const float weight : map.pattern) check_weight(map, weight);
    entry.parts.emplace_back(reinterpret_cast<const char*>(map.pattern.data()), map.pattern.size() * sizeof(float));
  }
  return entry;
}

// -1 where a map stands for several layers, or heads.
Entry number_entry(const std::string& name, const Trace& trace, std::size_t AttentionMap::*field, bool several) {
  Entry entry{name, npy_header("<i8", fmt::format("{},", trace.maps.size())), {}, {}};
  for (const AttentionMap& map : trace.maps) append_little(&entry.owned, several ? ~std::uint64_t{0} : std::uint64_t{map.*field});
  return entry;
}

std::u32string code_points(std::string_view text, std::size_t limit) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size() && points.size() < limit;) {
    const Utf8Char c = decode_utf8(text, at);
    points.push_back(c.length == 0 ? char32_t{0xFFFD} : c.code_point);
    at += std::max<std::size_t>(c.length, 1);
  }
  return points;
}

// NumPy's text: every element takes as many 32-bit code points as the longest, padded with zeros.
Entry text_entry(const std::string& name, const std::vector<std::u32string>& texts, const std::string& shape) {
  std::size_t longest = 1;
  for (const std::u32string& text : texts) longest = std::max(longest, text.size());
  Entry entry{name, npy_header(fmt::format("<U{}", longest), shape), {}, {}};
  entry.owned.reserve(texts.size() * longest * 4);
  for (std::u32string text : texts) {
    text.resize(longest);
    for (const char32_t c : text) append_little(&entry.owned, std::uint32_t{c});
  }
  return entry;
}

Entry token_entry(const std::string& name, const std::vector<Token>& tokens) {
  std::vector<std::u32string> texts;
  for (const Token& token : tokens) texts.push_back(code_points(token.text, kLongestText));
  return text_entry(name, texts, fmt::format("{},", tokens.size()));
}

Entry document_entry(const Trace& trace) {
  Trace all_but_maps = without_maps(trace);
  all_but_maps.queries = trace.queries;
  all_but_maps.keys = trace.keys;
  const JsonDocument document(all_but_maps, {.one_line = true, .line = {}});
  std::string json;
  for (std::size_t i = 0; i < document.n_pieces(); ++i) document.append_piece(i, &json);
  json.pop_back();  // the line break
  return text_entry("document.npy", {code_points(json, json.size())}, "");
}

// What the headers in front of the data and the central directory both say of an entry.
std::string entry_fields(const Entry& entry) {
  std::string fields;
  append_little(&fields, std::uint16_t{20});      // version needed
  append_little(&fields, std::uint16_t{0});       // flags
  append_little(&fields, std::uint16_t{0});       // stored
  append_little(&fields, std::uint16_t{0});       // time: always the same, so that the same maps are the same bytes
  append_little(&fields, std::uint16_t{0x0021});  // date: 1 January 1980, the first there is
  append_little(&fields, entry.crc());
  append_little(&fields, static_cast<std::uint32_t>(entry.n_byte()));
  append_little(&fields, static_cast<std::uint32_t>(entry.n_byte()));
  append_little(&fields, static_cast<std::uint16_t>(entry.name.size()));
  append_little(&fields, std::uint16_t{0});  // extra field
  return fields;
}

std::string central_record(const Entry& entry, const std::string& fields) {
  std::string record("PK\x01\x02", 4);
  append_little(&record, std::uint16_t{20});  // version made by
  record += fields;
  append_little(&record, std::uint16_t{0});  // comment
  append_little(&record, std::uint16_t{0});  // disk
  append_little(&record, std::uint16_t{0});  // internal attributes
  append_little(&record, std::uint32_t{0});  // external attributes
  append_little(&record, entry.offset);
  return record + entry.name;
}

bool write_entry(const Entry& entry, const std::string& fields, const ByteSink& sink) {
  if (!sink(std::string("PK\x03\x04", 4) + fields + entry.name + entry.header + entry.owned)) return false;
  return std::all_of(entry.parts.begin(), entry.parts.end(), sink);
}

std::string end_record(std::size_t n_entry, std::size_t directory_size, std::uint64_t directory_offset) {
  std::string record("PK\x05\x06\0\0\0\0", 8);
  append_little(&record, static_cast<std::uint16_t>(n_entry));  // on this disk
  append_little(&record, static_cast<std::uint16_t>(n_entry));
  append_little(&record, static_cast<std::uint32_t>(directory_size));
  append_little(&record, static_cast<std::uint32_t>(directory_offset));
  append_little(&record, std::uint16_t{0});  // comment
  return record;
}

}  // namespace

void check_npz_size(std::uint64_t n_byte) {
  if (n_byte < std::numeric_limits<std::uint32_t>::max()) return;
  throw SettingError(ErrorKind::kOutput, {fmt::format("npz: the arrays take {} bytes, and an archive holds less than 4 GiB; choose "
                                                      "fewer layers and heads, or pool the maps with ",
                                                      n_byte),
                                          Setting::kPool});
}

void write_npz(const Trace& trace, const ByteSink& sink) {
  std::vector<Entry> entries{map_entry(trace),
                             number_entry("layers.npy", trace, &AttentionMap::layer, trace.reduced && trace.reduced->over_layers),
                             number_entry("heads.npy", trace, &AttentionMap::head, trace.reduced && trace.reduced->over_heads),
                             token_entry("queries.npy", trace.queries),
                             token_entry("keys.npy", trace.keys),
                             document_entry(trace)};
  constexpr std::size_t kLocalHeader = 30;
  constexpr std::size_t kRecords = 4096;  // more than the central directory takes
  std::uint64_t offset = 0;
  for (const Entry& entry : entries) offset += kLocalHeader + entry.name.size() + entry.n_byte();
  check_npz_size(offset + kRecords);
  offset = 0;
  std::string directory;
  for (Entry& entry : entries) {
    entry.offset = static_cast<std::uint32_t>(offset);
    const std::string fields = entry_fields(entry);
    directory += central_record(entry, fields);
    if (!write_entry(entry, fields, sink)) return;
    offset += kLocalHeader + entry.name.size() + entry.n_byte();
  }
  sink(directory + end_record(entries.size(), directory.size(), offset));
}

}  // namespace attnviz
