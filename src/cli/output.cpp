// See output.h.
#include "cli/output.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/file.h"
#include "base/quote.h"
#include "cli/font_warning.h"
#include "cli/word_list.h"

namespace attnviz {
namespace {

OutputFormat format_of_extension(const std::string& path) {
  if (const auto format = find_format_of_path(path)) return *format;
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  throw Error(ErrorKind::kUsage, fmt::format("-o {}: the extension {} is not known; expected one of {}, or say the format with -f",
                                             path, extension.empty() ? "(none)" : extension, fmt::join(format_extensions(), " ")));
}

}  // namespace

OutputFormat parse_format(const std::string& name) {
  if (const auto format = find_format(name)) return *format;
  refuse_word("-f", name, format_names());
}

OutputTarget choose_target(const OutputOptions& options) {
  OutputTarget target;
  target.quiet = options.quiet;
  if (options.output != "-") target.path = options.output;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (!options.format.empty()) {
    target.format = parse_format(options.format);
  } else if (!target.path.empty()) {
    target.format = format_of_extension(target.path);
  } else {
    target.format = terminal ? OutputFormat::kTerminal : OutputFormat::kJson;
  }
  if (!target.path.empty()) check_writable(target.path);
  const FormatSpec& spec = format_spec(target.format);
  if (target.path.empty() && terminal && !spec.binary.empty()) {
    throw Error(ErrorKind::kOutput,
                fmt::format("stdout: is a terminal, which cannot show {}; expected a file or a pipe; try -o map.{}", spec.binary,
                            spec.extension));
  }
  return target;
}

ResultWriter::ResultWriter(const OutputTarget& target) : target_(target) {}

bool ResultWriter::write(std::string_view bytes) {
  const Stopwatch watch;
  bool open = true;
  if (target_.path.empty()) {
    open = write_descriptor(STDOUT_FILENO, bytes);
  } else {
    if (!file_) file_.emplace(target_.path);  // only once there are bytes: making them may take long, or fail
    open = file_->write(bytes);
  }
  seconds_ += watch.seconds();
  return open;
}

void ResultWriter::finish() {
  write({});  // creates the file even if it has no bytes
  const Stopwatch watch;
  if (file_) file_->finish();
  seconds_ += watch.seconds();
}

namespace {

// Calls a format's writer and measures its time.
template <typename Write>
WriteTimes timed_write(const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool, Write write) {
  const Stopwatch watch;
  ResultWriter writer(target);
  const ByteSink sink = [&](std::string_view bytes) { return writer.write(bytes); };
  RenderNotes notes;
  write(WriteJob{picture, sink, pool, !target.path.empty(), &notes});
  writer.finish();
  return {watch.seconds() - writer.seconds(), writer.seconds(), std::move(notes)};
}

}  // namespace

WriteTimes write_trace(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool) {
  const FormatSpec& spec = format_spec(target.format);
  return timed_write(picture, target, pool, [&](const WriteJob& job) { spec.write_trace(trace, job); });
}

WriteTimes write_table(const Table& table, const PictureOptions& picture, const OutputTarget& target) {
  const FormatSpec& spec = format_spec(target.format);
  if (spec.write_table == nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("-f {}: cannot hold a table; try -f json, csv or term", spec.name));
  }
  return timed_write(picture, target, nullptr, [&](const WriteJob& job) { spec.write_table(table, job); });
}

void write_and_report(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool,
                      Timings* timings) {
  const WriteTimes times = write_trace(trace, picture, target, pool);
  timings->add("render", times.render);
  timings->add("write", times.write);
  const std::string warning = font_warning(times.notes);
  if (!target.quiet && !warning.empty()) print_note(warning);
}

void print_note(std::string_view text) { fmt::print(stderr, "attnviz: {}\n", printable_text(text)); }

}  // namespace attnviz
