// Which part of a map is shown, and how coarsely: --rows, --cols, --focus, --pool. Tested in tests/cli/test_long.py.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/setting_error.h"
#include "cli/options/options.h"
#include "pipeline/runner.h"

namespace CLI {
class App;
}

namespace attnviz {

struct MapOptions {
  std::optional<std::string> rows;
  std::optional<std::string> columns;
  std::optional<std::string> focus;
  Setting focus_setting = Setting::kFocus;  // which option named it
  std::size_t pool = 0;                     // 0: not pooled
  std::optional<std::string> pool_by;
};

void add_map_options(CLI::App& app, MapOptions& options);

// Throws Error(kUsage): options that contradict each other or the views of `text`. Called before any work is done.
void check_map_options(const MapOptions& options, const TextOptions& text);

// The words of the options looked up in the text. Throws Error(kInput) for one that is not there.
MapChoice choose_map(const MapOptions& options, const EncodedText& encoded);

// The same among the tokens of a trace of whole maps.
MapChoice choose_map(const MapOptions& options, const Trace& trace);

// What the chosen word is called in a picture of its rows: as it was named, or, where that was by its place ("@9"), by its text.
std::string focus_name(const MapOptions& options, const Trace& trace);

}  // namespace attnviz
