// See options.h.
#include "cli/options/options.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/limits.h"
#include "cli/options/page_size.h"
#include "cli/options/selection.h"
#include "cli/word_list.h"
#include "figure/colour_map.h"
#include "pipeline/tokenizer_cache.h"
#include "render/picture/fonts.h"
#include "trace/special.h"
#include "trace/words.h"

namespace attnviz {
namespace {

struct ScaleName {
  const char* name;
  Scale scale;
};

constexpr std::array<ScaleName, 5> kScales = {
    {{"linear", Scale::kLinear}, {"row", Scale::kRow}, {"own", Scale::kOwn}, {"log", Scale::kLog}, {"robust", Scale::kRobust}}};

void check_range(const char* option, double value, const Limits& limits) {
  if (limits.hold(value)) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} {}: is out of range; expected {} to {}", option, value, limits.least, limits.most));
}

// Makes it one line.
std::string own_title(std::string title) {
  if (title == "none") return "";
  std::replace_if(
      title.begin(), title.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return title;
}

}  // namespace

std::string format_help(std::string_view FormatSpec::*words) {
  std::vector<std::string> formats;
  for (const FormatSpec& spec : format_specs()) {
    const std::string_view about = spec.*words;
    formats.push_back(about.empty() ? std::string(spec.name) : fmt::format("{} ({})", spec.name, about));
  }
  return list_with_or(formats);
}

void add_model_options(CLI::App& app, ModelOptions& options) {
  app.add_option("-m,--model", options.model, "model name (see attnviz models), folder, .gguf file, or hub id in the cache")
      ->option_text("MODEL");
  app.add_option("--threads", options.threads, "number of threads; the default is one per core")
      ->option_text("N")
      ->check(CLI::Range(kThreadCounts.least, kThreadCounts.most));
}

void add_selection_options(CLI::App& app, SelectionOptions& options) {
  app.add_option("--layer", options.layer, "layers, from 0: 3, 0-2,5 or all")->option_text("LIST");
  app.add_option("--head", options.head, "heads, from 0: 1, 0-3,7 or all")->option_text("LIST");
  app.add_option("--kind", options.kind, "attention of a model or file with several kinds: self, encoder, decoder, cross or vision")
      ->option_text("KIND");
}

void add_text_options(CLI::App& app, TextOptions& options) {
  app.add_flag("--plain", options.plain, "treat special tokens typed in the text ([MASK]) as plain text");
  app.add_flag("--no-bos", options.no_bos, "omit the special tokens that the model adds before the text");
  app.add_flag("--truncate", options.truncate, "cut a text that is too long for the model, with a note");
  add_text_view_options(app, options);
}

void add_text_view_options(CLI::App& app, TextOptions& options) {
  app.add_flag("--words", options.words, "merge pieces into words: keys summed, queries averaged");
  app.add_flag("--hide-special", options.hide_special, "omit the rows and columns of special tokens");
}

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option("-o,--output", options.output,
                 fmt::format("output file; its extension sets the format ({}); - for stdout", fmt::join(format_extensions(), " ")))
      ->option_text("FILE");
  app.add_option("-f,--format", options.format, format_help(&FormatSpec::help))->option_text("FORMAT");
  app.add_flag("-q,--quiet", options.quiet, "print no notes on stderr");
}

void add_style_options(CLI::App& app, StyleOptions& options) {
  Style& style = options.style;
  add_view_options(app, options.view);
  app.add_option("--cmap", style.cmap, fmt::format("colour map: {}", fmt::join(colour_map_names(), ", ")))->option_text("NAME");
  app.add_option("--scale", options.scale,
                 "colour scale: linear, row (each row by its own maximum), own (each map by its own), log or robust")
      ->option_text("SCALE");
  app.add_option("--vmax", options.vmax, "weight at the end of the colour bar")->option_text("X");
  app.add_flag("--values", style.values, "print the weights in the cells");
  app.add_flag("--dark", style.dark, "dark background; brighter means more");
  app.add_option("--dpi", style.dpi, "resolution of a PNG in dots per inch")->option_text("N")->default_str("96");
  app.add_option("--width", options.width, "picture width in pixels at 96 dpi")->option_text("PX");
  app.add_option("--size", options.size, "page size to fit: 85mm, 85x60mm, 3.5in, 400x300px (also cm, pt)")->option_text("WxH");
  app.add_option("--font", style.font, "font family, as listed by fc-list")->option_text("FAMILY");
  app.add_flag("--transparent", style.transparent, "no background");
  app.add_option("--title", options.title, "title of the picture; none removes the title and the line below it")
      ->option_text("TEXT");
  app.add_flag("--exact", options.exact, "store exact weights in a page instead of 8 bits each");
}

void check_selection_options(const SelectionOptions& options) {
  check_selection(options.layer, "--layer");
  check_selection(options.head, "--head");
  parse_kind(options.kind);
}

PictureOptions make_picture_options(const StyleOptions& options) {
  PictureOptions picture{.style = options.style, .figure = make_figure_options(options.view), .page = {.exact = options.exact}};
  Style& style = picture.style;
  std::vector<std::string> names;
  bool known = false;
  for (const ScaleName& entry : kScales) {
    names.emplace_back(entry.name);
    if (options.scale == entry.name) style.scale = entry.scale, known = true;
  }
  if (!known) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--scale {}: is not known; expected one of: {}", options.scale, fmt::join(names, ", ")));
  }
  if (options.vmax) {
    check_range("--vmax", *options.vmax, kVmaxLimits);
    style.vmax = static_cast<float>(*options.vmax);
  }
  if (options.width) {
    check_range("--width", *options.width, kWidthLimits);
    style.width = *options.width;
  }
  check_range("--dpi", style.dpi, kDpiLimits);
  if (options.size && options.width) {
    throw Error(ErrorKind::kUsage, "--size and --width: both set the picture's width; leave one out");
  }
  if (options.size) style.page = parse_page_size(*options.size, style.dpi);
  if (options.title) style.title = own_title(*options.title);
  if (!style.font.empty()) check_font_family(style.font);
  map_colour(style.cmap, style.dark, 0);  // throws for an unknown name
  return picture;
}

LoadedModel open_wanted_model(const std::string& wanted) {
  return open_model(resolve_model(shared_folder(), wanted), program_cache_folder());
}

void check_page_options(const StyleOptions& options, OutputFormat format) {
  if (is_page(format) && options.view.hide_sink) {
    throw Error(ErrorKind::kUsage, "--hide-sink: is not available for pages; try --scale robust or --scale log");
  }
  if (!options.exact || is_page(format)) return;
  throw Error(ErrorKind::kUsage, "--exact: applies only to pages; other numeric formats are always exact; add -f html");
}

Request make_request(const SelectionOptions& options, const LoadedModel& loaded) {
  const ModelConfig& config = loaded.model->config();
  const std::string& name = loaded.info.name;
  const Site site = choose_kind(parse_kind(options.kind), config.sites(), name);
  const StackSpec& stack = *config.find(site);
  return {.layers = parse_selection(options.layer, {"--layer", "layers", name, stack.n_layer}),
          .heads = parse_selection(options.head, {"--head", "heads", name, ModelConfig::attention_of(stack, site).n_head}),
          .site = site};
}

RunnerOptions make_runner_options(const TextOptions& options) { return {{options.plain, options.no_bos}, options.truncate, 0}; }

Trace apply_text_view(Trace trace, const TextOptions& options) {
  if (options.words) trace = merge_words(trace);
  if (options.hide_special) trace = hide_special(trace);
  return trace;
}

PageOptions page_views(PageOptions page, const TraceViews& options, OutputFormat format) {
  const bool is_open = is_page(format) && !options.reduce.by;
  page.words = is_open && options.text.words;
  page.hide_special = is_open && options.text.hide_special;
  return page;
}

Trace apply_views(Trace trace, const TraceViews& options, const PageOptions& page) {
  TextOptions text = options.text;
  text.words = text.words && !page.words;
  text.hide_special = text.hide_special && !page.hide_special;
  return apply_reduction(apply_text_view(std::move(trace), text), options.reduce);
}

}  // namespace attnviz
