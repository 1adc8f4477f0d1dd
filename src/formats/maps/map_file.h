// A file of attention maps from any tool -> a Trace. Reads attnviz's JSON, a line of its JSONL, its NPZ (also when NumPy has saved
// it again), and plain numbers without tokens (JSON lists, .npy, .npz). The type is detected from the first bytes, not from the
// name.
//
// Only checks that the weights are numbers in matrices. map_checks.h checks their values, and only for the wanted maps.
// Tested in tests/unit/formats/maps/map_file_test.cpp, fuzzed by tests/fuzz/map_file_fuzz.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

struct MapFile {
  Trace trace;                         // maps by layer, then head, no duplicates
  bool plain = false;                  // has no tokens: queries and keys are empty until name_tokens
  std::size_t decimals = kNotRounded;  // decimal digits that its numbers were rounded to; kNotRounded: more than 8
  std::vector<std::string> remarks{};  // for the user: what in the file was ignored

  static constexpr std::size_t kNotRounded = 9;
};

struct MapFileOptions {
  std::string where;                   // opens messages: the file's name
  std::optional<std::size_t> line{};   // the line to read of a JSONL file, from 1
  std::optional<std::string> array{};  // the array to read of an .npz, as plain numbers
};

// Throws Error(kInput), or Error(kModel) if the archive itself is broken.
MapFile read_map_file(std::span<const std::byte> bytes, const MapFileOptions& options);

// Gives plain numbers their tokens: the given spellings, or numbers if there are none. Keys that differ from the queries make the
// site kCross, as does a map that is not square. Throws Error(kInput) if the number of tokens is not that of rows or columns.
void name_tokens(MapFile* file, const std::optional<std::vector<std::string>>& queries,
                 const std::optional<std::vector<std::string>>& keys, const std::string& where);

// Whether a text is a JSON list of strings: it begins with [ and ", unlike the token [CLS].
bool is_json_list(std::string_view text);

// Reads a JSON list of strings, or one token per line. Throws Error(kInput).
std::vector<std::string> parse_token_file(std::string_view text, const std::string& where);

}  // namespace attnviz
