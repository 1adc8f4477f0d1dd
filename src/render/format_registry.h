// The formats a result can be written in, one row each: names, what they can hold, and the functions that write them. A new format
// is an enumerator, a row and a writer (docs/ADDING_A_FORMAT.md). Tested in tests/unit/render/format_registry_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/table.h>
#include <attnviz/trace.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "render/byte_sink.h"
#include "render/picture/picture.h"

namespace attnviz {

// The number of a row of format_registry.cpp. Formats that code names have a name here, in the order of their rows; others are
// known by their row alone.
enum class OutputFormat : std::uint8_t { kPng, kSvg, kPdf, kHtml, kJson, kJsonLines, kCsv, kNpz, kTerminal };

enum class FormatKind : std::uint8_t {
  kPicture,   // drawn with fonts; values are colours of one scale
  kPage,      // holds whole maps, tokens and words, and lets its reader choose among them
  kNumbers,   // exact values; cannot represent a cell that is not a number
  kTerminal,  // text for people; values are colours or digits of one scale
};

// What a writer needs beside the result.
struct WriteJob {
  const PictureOptions& picture;
  const ByteSink& sink;
  ThreadPool* pool = nullptr;  // may be null; bytes do not depend on it
  bool to_file = false;        // not to stdout, so without terminal colours
  RenderNotes* notes;          // remarks about the result; never null
};

struct FormatSpec {
  FormatKind kind = FormatKind::kNumbers;
  std::string_view name;        // as users type it
  std::string_view extension;   // of file names, without the dot
  std::string_view also{};      // another extension that is understood
  std::string_view help{};      // a few words; may be empty
  std::string_view in_batch{};  // the same for a batch
  std::string_view binary{};    // "a PNG": what a terminal cannot show; empty for formats that are text
  bool joins_results = false;   // results of several texts go to one file, one line each
  void (*write_trace)(const Trace& trace, const WriteJob& job) = nullptr;
  void (*write_table)(const Table& table, const WriteJob& job) = nullptr;  // null: it cannot hold a table

  bool shows_colours() const { return kind == FormatKind::kPicture || kind == FormatKind::kTerminal; }
};

// In the order in which help lists them; an OutputFormat is a place in it.
std::span<const FormatSpec> format_specs();

const FormatSpec& format_spec(OutputFormat format);

// By name ("png"), and by a path's extension in any case ("MAP.PNG"). Nothing for an unknown one.
std::optional<OutputFormat> find_format(std::string_view name);
std::optional<OutputFormat> find_format_of_path(const std::string& path);

std::vector<std::string> format_names();       // "png", ...
std::vector<std::string> format_extensions();  // ".png", ..., in the same order

inline bool is_page(OutputFormat format) { return format_spec(format).kind == FormatKind::kPage; }
inline bool is_picture(OutputFormat format) { return format_spec(format).kind == FormatKind::kPicture; }

}  // namespace attnviz
