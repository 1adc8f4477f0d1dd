// See provenance.h. The words are assigned to options as CLI11 assigns them: an option takes the words it needs, and one that may
// take several takes all up to the next option.
#include "cli/provenance.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <CLI/CLI.hpp>

namespace attnviz {
namespace {

constexpr std::size_t kLongestText = 8000;  // bytes; a longer text is not spelled out in a command that people copy

// Options that change no byte of a result.
constexpr std::array<std::string_view, 4> kIncidental{"quiet", "timings", "output", "threads"};
// Options that a page's own controls set.
constexpr std::array<std::string_view, 10> kOfPage{"format", "layer", "head", "view",   "scale",
                                                   "cmap",   "vmax",  "dark", "values", "exact"};
// Options of the model and its tokenizer, which hold for every line of a batch.
constexpr std::array<std::string_view, 3> kOfModel{"model", "plain", "no-bos"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Takes the words of one command line apart, from the first to the last.
class CommandReader {
 public:
  CommandReader(const CLI::App& app, std::span<const std::string> words) : app_(app), words_(words) {}

  CommandLine read() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--") {
        line_.texts.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
        break;
      }
      if (word.starts_with("--")) {
        read_long(word);
      } else if (word.size() > 1 && word.starts_with('-')) {
        read_short(word);
      } else {
        line_.parts.push_back({.value = word, .words = {word}});
      }
    }
    return std::move(line_);
  }

 private:
  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = app_.get_option_no_throw(word.substr(0, equals));
    CommandPart part{.option = word.substr(2, equals == std::string::npos ? equals : equals - 2), .words = {word}};
    if (equals != std::string::npos) {
      part.value = word.substr(equals + 1);
    } else {
      take_values(option, &part);
    }
    line_.parts.push_back(std::move(part));
  }

  // "-o", "-oFILE", or several flags in one word and perhaps an option behind them: "-qo".
  void read_short(std::string word) {
    while (word.size() > 1) {
      const CLI::Option* option = app_.get_option_no_throw(word.substr(0, 2));
      CommandPart part{.option = option == nullptr ? "" : option->get_single_name(), .words = {word.substr(0, 2)}};
      const bool is_flag = option == nullptr || option->get_items_expected_max() == 0;
      if (is_flag) {
        word.erase(1, 1);
      } else {
        if (word.size() > 2) {
          part.value = word.substr(2);
          part.words = {word};
        } else {
          take_values(option, &part);
        }
        word.clear();
      }
      line_.parts.push_back(std::move(part));
    }
  }

  void take_values(const CLI::Option* option, CommandPart* part) {
    if (option == nullptr) return;
    const int most = option->get_items_expected_max();
    const int least = option->get_items_expected_min();
    for (int n = 0; n < most && next_ < words_.size(); ++n) {
      const bool looks_like_option = words_[next_].size() > 1 && words_[next_].starts_with('-');
      if (n >= least && looks_like_option) return;
      part->value = words_[next_];
      part->words.push_back(words_[next_++]);
    }
  }

  const CLI::App& app_;
  std::span<const std::string> words_;
  std::size_t next_ = 0;
  CommandLine line_;
};

// A text that begins with a dash can only follow "--".
void add_texts(const std::vector<std::string>& texts, CommandLine* line) {
  const bool like_options = std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text.starts_with("-"); });
  if (like_options) {
    line->texts.insert(line->texts.end(), texts.begin(), texts.end());
    return;
  }
  for (const std::string& text : texts) line->parts.push_back({.value = text, .words = {text}});
}

bool has_option(const CommandLine& line, std::string_view option) {
  return std::any_of(line.parts.begin(), line.parts.end(), [&](const CommandPart& part) { return part.option == option; });
}

// "attnviz batch FILE ...": the model's options, and the text itself.
CommandLine redraw_line(const CommandLine& typed, const Trace& trace) {
  CommandLine line;
  for (const CommandPart& part : typed.parts) {
    if (contains(kOfModel, part.option)) line.parts.push_back(part);
  }
  add_texts(trace.texts, &line);
  return line;
}

}  // namespace

CommandLine typed_command(const CLI::App& app, std::string_view command, std::span<const std::string> arguments) {
  CommandLine line = CommandReader(app, arguments.subspan(command.empty() ? 0 : 1)).read();
  line.command = command;
  return line;
}

CommandLine made_by(const CommandLine& typed, std::string_view format) {
  CommandLine line = typed;
  std::erase_if(line.parts, [](const CommandPart& part) { return contains(kIncidental, part.option); });
  if (!has_option(line, "format")) {
    line.parts.push_back({.option = "format", .value = std::string(format), .words = {"-f", std::string(format)}});
  }
  return line;
}

CommandLine redraw_by(const CommandLine& typed, const Trace& trace, const PageOptions& page) {
  if (typed.command == "batch") return redraw_line(typed, trace);
  CommandLine line{.command = typed.command, .texts = typed.texts};
  std::size_t n_byte = 0;
  for (const std::string& text : trace.texts) n_byte += text.size();
  // Whether the trace has the texts as they were typed.
  const bool has_texts = !has_option(typed, "generate") && typed.command != "render" && n_byte <= kLongestText;
  for (const CommandPart& part : typed.parts) {
    const bool from_stdin = part.value == "-" && (part.option.empty() || part.option == "file");
    if (has_texts && from_stdin) {
      add_texts(trace.texts, &line);
    } else if (part.option == "row") {
      // The page adds the pair that it shows, unless it is a page of that row alone.
      if (!trace.focus.empty()) line.parts.push_back({.option = "focus", .value = part.value, .words = {"--focus", part.value}});
    } else if ((part.option == "words" && page.words) || (part.option == "hide-special" && page.hide_special)) {
      continue;
    } else if (!contains(kOfPage, part.option) && !contains(kIncidental, part.option)) {
      line.parts.push_back(part);
    }
  }
  return line;
}

Provenance provenance_of(const CommandLine& typed, OutputFormat format) {
  return {.version = ATTNVIZ_VERSION, .made_by = made_by(typed, format_spec(format).name)};
}

void record_command(const CommandLine& typed, OutputFormat format, const PageOptions& page, Trace* trace) {
  std::string source = std::move(trace->provenance.source);
  trace->provenance = provenance_of(typed, format);
  trace->provenance.source = std::move(source);
  if (is_page(format)) trace->provenance.redraw_by = redraw_by(typed, *trace, page);
}

}  // namespace attnviz
