// See format_registry.h.
#include "render/format_registry.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "figure/build.h"
#include "figure/table_figure.h"
#include "render/export/npz.h"
#include "render/export/table_exports.h"
#include "render/export/text_exports.h"
#include "render/page/page.h"
#include "render/picture/pdf.h"
#include "render/picture/png.h"
#include "render/picture/svg.h"
#include "render/terminal/terminal.h"
#include "render/terminal/terminal_table.h"

namespace attnviz {
namespace {

using RenderPicture = std::string (*)(const Figure& figure, const Style& style, RenderNotes* notes);

template <RenderPicture kRender>
void draw_trace(const Trace& trace, const WriteJob& job) {
  job.sink(kRender(make_figure(trace, job.picture.figure), job.picture.style, job.notes));
}

// The table's column for pictures, over its layers and heads.
template <RenderPicture kRender>
void draw_table_picture(const Table& table, const WriteJob& job) {
  if (table.drawn.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: a table of {} has no picture; try -f json, csv or term", table.schema, table.rows_name));
  }
  job.sink(kRender(make_table_figure(table, {.value = table.drawn}), job.picture.style, job.notes));
}

void write_lines_trace(const Trace& trace, const WriteJob& job) {
  write_json(trace, job.sink, {.one_line = true, .line = {}}, job.pool);
}

TerminalOptions terminal_options(const WriteJob& job) {
  TerminalOptions options = detect_terminal(job.picture.style);
  options.figure = job.picture.figure;
  if (job.to_file) options.colour = ColourDepth::kNone;
  return options;
}

constexpr auto kFormats = std::to_array<FormatSpec>({
    {.kind = FormatKind::kPicture,
     .name = "png",
     .extension = "png",
     .binary = "a PNG",
     .write_trace = draw_trace<render_png>,
     .write_table = draw_table_picture<render_png>},
    {.kind = FormatKind::kPicture,
     .name = "svg",
     .extension = "svg",
     .write_trace = draw_trace<render_svg>,
     .write_table = draw_table_picture<render_svg>},
    {.kind = FormatKind::kPicture,
     .name = "pdf",
     .extension = "pdf",
     .binary = "a PDF",
     .write_trace = draw_trace<render_pdf>,
     .write_table = draw_table_picture<render_pdf>},
    {.kind = FormatKind::kPage,
     .name = "html",
     .extension = "html",
     .also = "htm",
     .help = "a page to explore",
     .in_batch = "a page per line",
     .write_trace = [](const Trace& trace, const WriteJob& job) { write_page(trace, job.picture, job.sink, job.pool); }},
    {.name = "json",
     .extension = "json",
     .write_trace = [](const Trace& trace, const WriteJob& job) { write_json(trace, job.sink, {}, job.pool); },
     .write_table = [](const Table& table, const WriteJob& job) { write_table_json(table, job.sink); }},
    {.name = "jsonl",
     .extension = "jsonl",
     .in_batch = "one JSON line per input line",
     .joins_results = true,
     .write_trace = write_lines_trace,
     .write_table = [](const Table& table, const WriteJob& job) { write_table_json(table, job.sink, true); }},
    {.name = "csv",
     .extension = "csv",
     .write_trace = [](const Trace& trace, const WriteJob& job) { write_csv(trace, job.sink); },
     .write_table = [](const Table& table, const WriteJob& job) { write_table_csv(table, job.sink); }},
    {.name = "npz",
     .extension = "npz",
     .binary = "an NPZ",
     .write_trace = [](const Trace& trace, const WriteJob& job) { write_npz(trace, job.sink); }},
    {.kind = FormatKind::kTerminal,
     .name = "term",
     .extension = "txt",
     .write_trace = [](const Trace& trace, const WriteJob& job) { job.sink(render_terminal(trace, terminal_options(job))); },
     .write_table = [](const Table& table, const WriteJob& job) { job.sink(draw_table(table, terminal_options(job))); }},
    // New rows go here, at the end.
});

constexpr bool is_row(OutputFormat format, std::string_view name) {
  return kFormats.at(static_cast<std::size_t>(format)).name == name;
}
static_assert(is_row(OutputFormat::kPng, "png") && is_row(OutputFormat::kSvg, "svg") && is_row(OutputFormat::kPdf, "pdf") &&
              is_row(OutputFormat::kHtml, "html") && is_row(OutputFormat::kJson, "json") &&
              is_row(OutputFormat::kJsonLines, "jsonl") && is_row(OutputFormat::kCsv, "csv") && is_row(OutputFormat::kNpz, "npz") &&
              is_row(OutputFormat::kTerminal, "term"));

template <typename Matches>
std::optional<OutputFormat> first_format(Matches matches) {
  for (std::size_t row = 0; row < kFormats.size(); ++row) {
    if (matches(kFormats[row])) return static_cast<OutputFormat>(row);
  }
  return std::nullopt;
}

}  // namespace

std::span<const FormatSpec> format_specs() { return kFormats; }

const FormatSpec& format_spec(OutputFormat format) {
  const auto row = static_cast<std::size_t>(format);
  if (row < kFormats.size()) return kFormats[row];
  throw Error(ErrorKind::kBug, fmt::format("output: format {} has no row", row));
}

std::optional<OutputFormat> find_format(std::string_view name) {
  return first_format([&](const FormatSpec& spec) { return spec.name == name; });
}

std::optional<OutputFormat> find_format_of_path(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty()) return std::nullopt;
  extension.erase(0, 1);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return first_format(
      [&](const FormatSpec& spec) { return extension == spec.extension || (!spec.also.empty() && extension == spec.also); });
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatSpec& spec : kFormats) names.emplace_back(spec.name);
  return names;
}

std::vector<std::string> format_extensions() {
  std::vector<std::string> extensions;
  for (const FormatSpec& spec : kFormats) extensions.push_back(fmt::format(".{}", spec.extension));
  return extensions;
}

}  // namespace attnviz
