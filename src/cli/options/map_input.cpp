// See map_input.h.
#include "cli/options/map_input.h"

#include <attnviz/error.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/quote.h"
#include "cli/options/selection.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostInputBytes = std::size_t{4} << 30;  // of standard input, which is read into memory
constexpr std::size_t kMostTokenBytes = std::size_t{64} << 20;

// A named pipe, as a shell makes for <(command): it cannot be mapped.
bool is_stream(const std::string& path) {
  std::error_code fault;
  return std::filesystem::is_fifo(path, fault);
}

MapFile read_bytes(const MapInputOptions& options) {
  const MapFileOptions file_options{input_name(options), options.line, options.array};
  if (options.file == "-") {
    const std::string bytes = read_descriptor(STDIN_FILENO, kMostInputBytes);
    return read_map_file(std::as_bytes(std::span(bytes)), file_options);
  }
  if (is_stream(options.file)) {
    const std::string bytes = read_text_file(options.file, kMostInputBytes, ErrorKind::kInput);
    return read_map_file(std::as_bytes(std::span(bytes)), file_options);
  }
  const MappedFile file(options.file);
  return read_map_file(file.bytes(), file_options);
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// A JSON list, a file, or tokens separated by commas, tried in this order.
std::optional<std::vector<std::string>> read_tokens(const std::optional<std::string>& value, const char* option) {
  if (!value) return std::nullopt;
  if (is_json_list(*value)) return parse_token_file(*value, option);
  std::error_code fault;
  if (std::filesystem::is_regular_file(*value, fault) || is_stream(*value)) {
    return parse_token_file(read_text_file(*value, kMostTokenBytes, ErrorKind::kInput), *value);
  }
  const bool looks_like_file = value->find(',') == std::string::npos && value->find_first_of("./") != std::string::npos;
  if (value->empty() || looks_like_file) {
    throw Error(ErrorKind::kInput, fmt::format("{}: there is no file {}; expected a file, a JSON list of strings, or tokens with "
                                               "commas between them",
                                               option, quote_text(*value)));
  }
  return split_at_commas(*value);
}

// One trace has one pair of axes, but a file may hold maps of several kinds between the same tokens.
void select_kind(Trace* trace, const SelectionOptions& selection, const std::string& where) {
  const std::optional<Site> wanted = parse_kind(selection.kind);
  if (!wanted) return;
  std::set<Site> sites;
  for (const AttentionMap& map : trace->maps) sites.insert(map.site);
  choose_kind(wanted, {sites.begin(), sites.end()}, where);
  std::erase_if(trace->maps, [&](const AttentionMap& map) { return map.site != *wanted; });
}

void select_maps(Trace* trace, const SelectionOptions& selection, const std::string& where) {
  const auto refuse = [&](const char* option, const std::string& value, const char* what) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: each map of {} combines several {}; leave it out", option, value, where, what));
  };
  const bool reduced = trace->reduced.has_value();
  if (reduced && trace->reduced->over_layers && selection.layer != "all") refuse("--layer", selection.layer, "layers");
  if (reduced && trace->reduced->over_heads && selection.head != "all") refuse("--head", selection.head, "heads");
  select_kind(trace, selection, where);
  std::set<std::size_t> layers;
  std::set<std::size_t> heads;
  for (const AttentionMap& map : trace->maps) layers.insert(map.layer), heads.insert(map.head);
  const auto chosen_layers = select_available(selection.layer, {"--layer", "layers", where, 0}, {layers.begin(), layers.end()});
  const auto chosen_heads = select_available(selection.head, {"--head", "heads", where, 0}, {heads.begin(), heads.end()});
  const auto is_chosen = [&](const AttentionMap& map) {
    return std::binary_search(chosen_layers.begin(), chosen_layers.end(), map.layer) &&
           std::binary_search(chosen_heads.begin(), chosen_heads.end(), map.head);
  };
  std::erase_if(trace->maps, [&](const AttentionMap& map) { return !is_chosen(map); });
  if (trace->maps.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--layer {} --head {}: {} has no such map, though it has that layer and that head",
                                               selection.layer, selection.head, where));
  }
}

}  // namespace

void add_map_input_options(CLI::App& app, MapInputOptions& options) {
  app.add_option("FILE", options.file, "maps as JSON, .npy or .npz, detected from their content; - for standard input")
      ->required()
      ->option_text(" ");
  app.add_option("--line", options.line, "line of a JSONL file to draw, from 1")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, std::numeric_limits<std::size_t>::max()));
  app.add_option("--array", options.array, "array of an .npz file to draw")->option_text("NAME");
  app.add_option(
         "--tokens", options.tokens,
         "names for the rows (and columns) of plain numbers: a JSON list, a file with such a list or one token per line, or "
         "a,b,c")
      ->option_text("TOKENS");
  app.add_option("--key-tokens", options.key_tokens, "names for the columns, if they differ from the rows")->option_text("TOKENS");
  app.add_flag("--force", options.force, "draw invalid maps too: bad cells hatched, rows that do not sum to 1");
}

std::string input_name(const MapInputOptions& options) { return options.file == "-" ? "standard input" : options.file; }

MapFile read_maps(const MapInputOptions& options, const SelectionOptions& selection) {
  const std::string where = input_name(options);
  const auto tokens = read_tokens(options.tokens, "--tokens");
  const auto key_tokens = read_tokens(options.key_tokens, "--key-tokens");
  MapFile file = read_bytes(options);
  if (file.plain) {
    name_tokens(&file, tokens, key_tokens, where);
  } else if (tokens || key_tokens) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {} already has tokens; leave it out, or use only the numbers with --array maps "
                                               "of an NPZ",
                                               tokens ? "--tokens" : "--key-tokens", where));
  }
  select_maps(&file.trace, selection, where);
  return file;
}

}  // namespace attnviz
