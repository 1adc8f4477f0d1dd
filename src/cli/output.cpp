// See output.h.
#include "cli/output.h"

#include <attnviz/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "figure/build.h"
#include "render/png.h"
#include "render/terminal.h"
#include "render/text_exports.h"

namespace attnviz {
namespace {

struct FormatName {
  const char* name;       // of -f
  const char* extension;  // of -o
  OutputFormat format;
};

constexpr std::array<FormatName, 4> kFormats = {{{"png", "png", OutputFormat::kPng},
                                                 {"json", "json", OutputFormat::kJson},
                                                 {"csv", "csv", OutputFormat::kCsv},
                                                 {"term", "txt", OutputFormat::kTerminal}}};

OutputFormat format_of_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> known;
  for (const FormatName& entry : kFormats) {
    if (extension == std::string(".") + entry.extension) return entry.format;
    known.push_back(std::string(".") + entry.extension);
  }
  throw Error(ErrorKind::kUsage, fmt::format("-o {}: the extension {} is not known; expected one of {}, or say the format with -f",
                                             path, extension.empty() ? "(none)" : extension, fmt::join(known, " ")));
}

// Bytes for stdout go out as they are made; bytes for a file are gathered, so that the file appears whole.
class Writer {
 public:
  explicit Writer(const OutputTarget& target) : target_(target) {}

  bool write(std::string_view bytes) {
    if (target_.path.empty()) return write_descriptor(STDOUT_FILENO, bytes);
    gathered_.append(bytes);
    return true;
  }

  void finish() {
    if (!target_.path.empty()) write_file_atomically(target_.path, gathered_);
  }

 private:
  const OutputTarget& target_;
  std::string gathered_;
};

}  // namespace

OutputFormat parse_format(const std::string& name) {
  std::vector<std::string> names;
  for (const FormatName& entry : kFormats) {
    if (name == entry.name) return entry.format;
    names.emplace_back(entry.name);
  }
  const auto close = closest_name(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("-f {}: is not known; {}expected one of: {}", name,
                                             close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(names, ", ")));
}

std::string_view format_name(OutputFormat format) {
  for (const FormatName& entry : kFormats) {
    if (entry.format == format) return entry.name;
  }
  return "";
}

std::string_view format_extension(OutputFormat format) {
  for (const FormatName& entry : kFormats) {
    if (entry.format == format) return entry.extension;
  }
  return "";
}

OutputTarget choose_target(const OutputOptions& options) {
  OutputTarget target;
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
  if (target.path.empty() && terminal && target.format == OutputFormat::kPng) {
    throw Error(ErrorKind::kOutput, "stdout: is a terminal, which cannot show a PNG; expected a file or a pipe; try -o map.png");
  }
  return target;
}

void write_trace(const Trace& trace, const Style& style, const OutputTarget& target) {
  Writer writer(target);
  const ByteSink sink = [&](std::string_view bytes) { return writer.write(bytes); };
  switch (target.format) {
    case OutputFormat::kPng: sink(render_png(make_figure(trace), style)); break;
    case OutputFormat::kJson: write_json(trace, sink); break;
    case OutputFormat::kCsv: write_csv(trace, sink); break;
    case OutputFormat::kTerminal: {
      TerminalOptions options = detect_terminal(style);
      if (!target.path.empty()) options.colour = ColourDepth::kNone;
      sink(render_terminal(trace, options));
      break;
    }
  }
  writer.finish();
}

void print_note(std::string_view text) { fmt::print(stderr, "attnviz: {}\n", printable_text(text)); }

}  // namespace attnviz
