// The options that commands share, as plain values, and their declaration on a CLI11 app.
//
// A command's file declares its own options beside these. Tested by tests/cli, which runs the real program.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/request.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/view_options.h"
#include "pipeline/runner.h"
#include "render/format_registry.h"

namespace CLI {
class App;
}

namespace attnviz {

struct ModelOptions {
  std::string model;  // empty: the default
  std::size_t threads = 0;
};

struct SelectionOptions {
  std::string kind;  // a site's name; empty: the model's only one, or all that a file holds
  std::string layer = "all";
  std::string head = "all";
};

struct TextOptions {
  bool plain = false;
  bool no_bos = false;
  bool truncate = false;
  bool words = false;
  bool hide_special = false;
};

struct OutputOptions {
  std::string output;  // empty: stdout
  std::string format;  // empty: by the extension, or by what stdout is
  bool quiet = false;
};

struct StyleOptions {
  Style style;
  std::string scale = "linear";
  std::optional<double> vmax;
  std::optional<double> width;
  ViewOptions view;
  std::optional<std::string> size;
  std::optional<std::string> title;
  bool exact = false;
};

// "png, svg, html (a page to explore) or term": all formats with what one field of their rows says of them.
std::string format_help(std::string_view FormatSpec::*words);

void add_model_options(CLI::App& app, ModelOptions& options);
void add_selection_options(CLI::App& app, SelectionOptions& options);
void add_text_options(CLI::App& app, TextOptions& options);
void add_text_view_options(CLI::App& app, TextOptions& options);  // those of them that need no tokenizer: --words, --hide-special
void add_output_options(CLI::App& app, OutputOptions& options);
void add_style_options(CLI::App& app, StyleOptions& options);

// The model with its tokenizer, which is kept between runs in the program's cache. Throws Error(kModel).
LoadedModel open_wanted_model(const std::string& wanted);

// Checks on values that need no model, done before one is opened. Throw Error(kUsage).
void check_selection_options(const SelectionOptions& options);
PictureOptions make_picture_options(const StyleOptions& options);

// Throws Error(kUsage) for options that only a page has.
void check_page_options(const StyleOptions& options, OutputFormat format);

// Throws Error(kUsage) for a kind of attention, a layer or a head that the model does not have.
Request make_request(const SelectionOptions& options, const LoadedModel& loaded);

RunnerOptions make_runner_options(const TextOptions& options);

// Applies the options about words and special tokens to a trace.
Trace apply_text_view(Trace trace, const TextOptions& options);

struct TraceViews {
  const TextOptions& text;
  const ReduceOptions& reduce;
};

// A page holds all tokens: options about words and special tokens only set how it opens, unless maps are combined, which is done
// after that.
PageOptions page_views(PageOptions page, const TraceViews& options, OutputFormat format);

// Applies the options about words, special tokens and combined maps to a trace, except those that a page opens with.
Trace apply_views(Trace trace, const TraceViews& options, const PageOptions& page);

}  // namespace attnviz
