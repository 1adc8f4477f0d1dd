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
#include "cli/font_warning.h"
#include "figure/build.h"
#include "render/export/npz.h"
#include "render/export/text_exports.h"
#include "render/page/page.h"
#include "render/picture/pdf.h"
#include "render/picture/png.h"
#include "render/picture/svg.h"
#include "render/terminal/terminal.h"

namespace attnviz {
namespace {

struct FormatName {
  const char* name;       // of -f
  const char* extension;  // of -o
  OutputFormat format;
};

constexpr std::array<FormatName, 9> kFormats = {{{"png", "png", OutputFormat::kPng},
                                                 {"svg", "svg", OutputFormat::kSvg},
                                                 {"pdf", "pdf", OutputFormat::kPdf},
                                                 {"json", "json", OutputFormat::kJson},
                                                 {"jsonl", "jsonl", OutputFormat::kJsonLines},
                                                 {"csv", "csv", OutputFormat::kCsv},
                                                 {"npz", "npz", OutputFormat::kNpz},
                                                 {"html", "html", OutputFormat::kHtml},
                                                 {"term", "txt", OutputFormat::kTerminal}}};

OutputFormat format_of_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension == ".htm") extension = ".html";
  std::vector<std::string> known;
  for (const FormatName& entry : kFormats) {
    if (extension == std::string(".") + entry.extension) return entry.format;
    known.push_back(std::string(".") + entry.extension);
  }
  throw Error(ErrorKind::kUsage, fmt::format("-o {}: the extension {} is not known; expected one of {}, or say the format with -f",
                                             path, extension.empty() ? "(none)" : extension, fmt::join(known, " ")));
}

// For formats that are no text; empty otherwise.
std::string_view binary_name(OutputFormat format) {
  switch (format) {
    case OutputFormat::kPng: return "a PNG";
    case OutputFormat::kPdf: return "a PDF";
    case OutputFormat::kNpz: return "an NPZ";
    default: return "";
  }
}

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

bool is_picture(OutputFormat format) {
  return format == OutputFormat::kPng || format == OutputFormat::kSvg || format == OutputFormat::kPdf;
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

bool shows_colours(OutputFormat format) { return is_picture(format) || format == OutputFormat::kTerminal; }

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
  if (target.path.empty() && terminal && !binary_name(target.format).empty()) {
    throw Error(ErrorKind::kOutput,
                fmt::format("stdout: is a terminal, which cannot show {}; expected a file or a pipe; try -o map.{}",
                            binary_name(target.format), format_extension(target.format)));
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
    if (!file_) file_.emplace(target_.path);  // not before there are bytes: making them may take long, or fail
    open = file_->write(bytes);
  }
  seconds_ += watch.seconds();
  return open;
}

void ResultWriter::finish() {
  write({});  // a file without a byte is made as well
  const Stopwatch watch;
  if (file_) file_->finish();
  seconds_ += watch.seconds();
}

WriteTimes write_trace(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool) {
  const Stopwatch watch;
  ResultWriter writer(target);
  const ByteSink sink = [&](std::string_view bytes) { return writer.write(bytes); };
  RenderNotes notes;
  switch (target.format) {
    case OutputFormat::kPng: sink(render_png(make_figure(trace, picture.figure), picture.style, &notes)); break;
    case OutputFormat::kSvg: sink(render_svg(make_figure(trace, picture.figure), picture.style, &notes)); break;
    case OutputFormat::kPdf: sink(render_pdf(make_figure(trace, picture.figure), picture.style, &notes)); break;
    case OutputFormat::kJson: write_json(trace, sink, {}, pool); break;
    case OutputFormat::kJsonLines: write_json(trace, sink, {.one_line = true, .line = {}}, pool); break;
    case OutputFormat::kCsv: write_csv(trace, sink); break;
    case OutputFormat::kNpz: write_npz(trace, sink); break;
    case OutputFormat::kHtml: write_page(trace, picture, sink, pool); break;
    case OutputFormat::kTerminal: {
      TerminalOptions options = detect_terminal(picture.style);
      options.figure = picture.figure;
      if (!target.path.empty()) options.colour = ColourDepth::kNone;
      sink(render_terminal(trace, options));
      break;
    }
  }
  writer.finish();
  return {watch.seconds() - writer.seconds(), writer.seconds(), std::move(notes)};
}

WriteTimes write_and_tell(const Trace& trace, const PictureOptions& picture, const OutputTarget& target, ThreadPool* pool,
                          bool quiet) {
  WriteTimes times = write_trace(trace, picture, target, pool);
  const std::string warning = font_warning(times.notes);
  if (!quiet && !warning.empty()) print_note(warning);
  return times;
}

void print_note(std::string_view text) { fmt::print(stderr, "attnviz: {}\n", printable_text(text)); }

}  // namespace attnviz
