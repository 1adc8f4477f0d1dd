// A file of attention maps from any tool -> a Trace: our own JSON, a line of JSONL, our own NPZ, also saved
// again by NumPy, or plain numbers (JSON lists, .npy, .npz) without tokens. Its type is detected from its first bytes, not by its
// name.
//
// Checks only that weights are numbers in matrices; map_checks.h checks the values, for the maps that are wanted.
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
  Trace trace;                         // maps by layer, then head, each there once
  bool plain = false;                  // without tokens: queries and keys are empty until name_tokens
  std::size_t decimals = kNotRounded;  // digits after the point that its numbers were rounded to; kNotRounded if there are many
  std::vector<std::string> remarks{};  // for the user: parts of the file that were not understood

  static constexpr std::size_t kNotRounded = 9;
};

struct MapFileOptions {
  std::string where;                   // opens messages: the file's name
  std::optional<std::size_t> line{};   // of a JSONL, from 1
  std::optional<std::string> array{};  // of an .npz: plain numbers, whatever else it holds
};

// Throws Error(kInput, or kModel where the archive itself is broken).
MapFile read_map_file(std::span<const std::byte> bytes, const MapFileOptions& options);

// Tokens for plain numbers, queries and keys, spelled as given; without names they are numbered. Separate keys make the kind
// kCross, and so does a map that is not square. Throws Error(kInput) for another number of tokens than of rows or columns.
void name_tokens(MapFile* file, const std::optional<std::vector<std::string>>& queries,
                 const std::optional<std::vector<std::string>>& keys, const std::string& where);

// Whether a text is a JSON list of strings, which begins ["; "[CLS]" does not.
bool is_json_list(std::string_view text);

// A JSON list of strings, or one token per line. Throws Error(kInput).
std::vector<std::string> parse_token_file(std::string_view text, const std::string& where);

}  // namespace attnviz
