// Where a result goes and in which format. The only place that writes results. Tested by tests/cli.
#pragma once

#include <attnviz/table.h>
#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/thread_pool.h"
#include "cli/options/options.h"
#include "cli/timings.h"
#include "render/format_registry.h"
#include "render/picture/picture.h"

namespace attnviz {

struct OutputTarget {
  OutputFormat format = OutputFormat::kJson;
  std::string path;    // empty: stdout
  bool quiet = false;  // no notes on stderr about what is written
};

// The format by name, by the file's extension, or by what stdout is. Throws Error(kUsage) for an unknown one, Error(kOutput) for a
// path that cannot be written or a picture that would go to a terminal: before any work is done.
OutputTarget choose_target(const OutputOptions& options);

// By name ("png"); throws Error(kUsage) with the nearest known one.
OutputFormat parse_format(const std::string& name);

// Bytes for stdout go out as they are made; a file appears whole or not at all.
class ResultWriter {
 public:
  explicit ResultWriter(const OutputTarget& target);

  bool write(std::string_view bytes);  // false when the reader has gone away
  void finish();
  double seconds() const { return seconds_; }  // spent in writing

 private:
  OutputTarget target_;
  std::optional<AtomicFile> file_{};
  double seconds_ = 0;
};

struct WriteTimes {
  double render = 0;  // seconds that making the bytes took
  double write = 0;
  RenderNotes notes{};  // what a picture's reader should be told
};

// Makes the bytes, with the threads of `pool` if it is not null, and writes them, whole or not at all. A reader of stdout that has
// gone away is a normal end.
WriteTimes write_trace(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool);

// The same of a table. Throws Error(kUsage) for a format that cannot hold one.
WriteTimes write_table(const Table& table, const PictureOptions& picture, const OutputTarget& target);

// Writes a trace, adds how long that took to `timings`, and notes on stderr which characters no font has.
void write_and_report(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool,
                      Timings* timings);

// Prints a line on stderr: "attnviz: ...".
void print_note(std::string_view text);

}  // namespace attnviz
