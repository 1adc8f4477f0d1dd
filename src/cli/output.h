// Where a result goes and in which format. The only place that writes results. Tested by tests/cli.
#pragma once

#include <attnviz/trace.h>

#include <string>
#include <string_view>

#include "cli/options.h"

namespace attnviz {

struct OutputTarget {
  OutputFormat format = OutputFormat::kJson;
  std::string path;  // empty: stdout
};

// The format by name, by the file's extension, or by what stdout is. Throws Error(kUsage) for an unknown one, Error(kOutput) for a
// path that cannot be written or a picture that would go to a terminal: before any work is done.
OutputTarget choose_target(const OutputOptions& options);

// By name ("png"); throws Error(kUsage) with the nearest known one.
OutputFormat parse_format(const std::string& name);
std::string_view format_name(OutputFormat format);       // "png", "json", "csv", "term"
std::string_view format_extension(OutputFormat format);  // "png", "json", "csv", "txt"

// Makes the bytes and writes them, whole or not at all. A reader of stdout that has gone away is a normal end.
void write_trace(const Trace& trace, const Style& style, const OutputTarget& target);

// A line on stderr: "attnviz: ...".
void print_note(std::string_view text);

}  // namespace attnviz
