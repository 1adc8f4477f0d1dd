// Where attnviz render takes its maps from, and which of them. Tested in tests/cli/test_render.py.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/options/options.h"
#include "formats/maps/map_file.h"

namespace CLI {
class App;
}

namespace attnviz {

struct MapInputOptions {
  std::string file;  // "-": standard input
  std::optional<std::size_t> line;
  std::optional<std::string> array;
  std::optional<std::string> tokens;
  std::optional<std::string> key_tokens;
  bool force = false;
};

void add_map_input_options(CLI::App& app, MapInputOptions& options);

// How messages name the file.
std::string input_name(const MapInputOptions& options);

// The file's maps that `selection` names, with tokens, not checked yet. Throws Error(kInput, kModel): a file that cannot be read or
// is not one of maps, tokens that do not fit; Error(kUsage): layers and heads that it does not have.
MapFile read_maps(const MapInputOptions& options, const SelectionOptions& selection);

}  // namespace attnviz
