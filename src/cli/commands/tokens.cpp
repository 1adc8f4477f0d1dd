// attnviz tokens TEXT [TEXT2]: show how a model's tokenizer splits a text: a line a token, or JSON. Tested in tests/cli.
#include <attnviz/error.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "render/export/text_exports.h"
#include "render/terminal/terminal_text.h"

namespace attnviz {
namespace {

struct TokensOptions {
  std::string text1;
  std::optional<std::string> text2;
  ModelOptions model;
  std::string format = "table";
  bool plain = false;
  bool no_bos = false;
};

constexpr std::size_t kColumns = 8;
constexpr std::array<const char*, kColumns> kHeads = {"index", "id", "vocabulary", "text", "bytes", "kind", "word", "segment"};
constexpr std::array<bool, kColumns> kRight = {true, true, false, false, true, false, true, true};

std::string word_of(const Token& token, const char* none) { return token.word < 0 ? none : fmt::to_string(token.word); }

// Columns as wide as their widest cell; white space and control characters of a text are made visible.
std::string table_of(const Tokenizer& tokenizer, const std::vector<Token>& tokens) {
  std::vector<std::array<TerminalText, kColumns>> rows(1);
  for (std::size_t column = 0; column < kColumns; ++column) rows[0][column] = TerminalText(kHeads[column]);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const std::array<std::string, kColumns> cells = {fmt::to_string(i),
                                                     fmt::to_string(token.id),
                                                     std::string(tokenizer.token_text(token.id)),
                                                     token.text,
                                                     fmt::format("{}-{}", token.begin, token.end),
                                                     std::string(token_kind_name(token.kind)),
                                                     word_of(token, "-"),
                                                     fmt::to_string(token.segment)};
    auto& row = rows.emplace_back();
    std::transform(cells.begin(), cells.end(), row.begin(), [](const std::string& cell) { return TerminalText(cell); });
  }
  std::array<std::size_t, kColumns> widths{};
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < kColumns; ++column) widths[column] = std::max(widths[column], row[column].width());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (column > 0) line += "  ";
      line += kRight[column] ? right_aligned(row[column], widths[column]) : left_aligned(row[column], widths[column]);
    }
    out += line + "\n";
  }
  return out;
}

std::string json_of(const LoadedModel& loaded, const std::vector<Token>& tokens) {
  std::string out = fmt::format(R"({{"schema": "attnviz.tokens/1", "model": {}, "tokens": [)", json_string(loaded.info.name));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    out += fmt::format(
        "{}\n"
        R"({{"index": {}, "id": {}, "vocabulary": {}, "text": {}, "begin": {}, "end": {}, "kind": "{}", "word": {}, "segment": {}}})",
        i == 0 ? "" : ",", i, token.id, json_string(loaded.tokenizer->token_text(token.id)), json_string(token.text), token.begin,
        token.end, token_kind_name(token.kind), word_of(token, "null"), token.segment);
  }
  return out + "]}\n";
}

int run_tokens(const TokensOptions& options) {
  if (options.format != "table" && options.format != "json") {
    throw Error(ErrorKind::kUsage, fmt::format("--format {}: is not known; expected table or json", options.format));
  }
  const LoadedModel loaded = open_wanted_model(options.model.model);
  const std::vector<Token> tokens =
      loaded.tokenizer->encode({options.text1, options.text2}, {.plain = options.plain, .no_bos = options.no_bos});
  write_descriptor(STDOUT_FILENO, options.format == "json" ? json_of(loaded, tokens) : table_of(*loaded.tokenizer, tokens));
  return 0;
}

}  // namespace

CommandRun declare_tokens(CLI::App& app) {
  auto options = std::make_shared<TokensOptions>();
  app.add_option("TEXT", options->text1, "the text")->required()->option_text(" ");
  app.add_option("TEXT2", options->text2, "second text of a sentence pair")->option_text(" ");
  add_model_options(app, options->model);
  app.add_option("-f,--format", options->format, "table or json")->option_text("FORMAT")->default_str("table");
  app.add_flag("--plain", options->plain, "treat special tokens typed in the text ([MASK]) as plain text");
  app.add_flag("--no-bos", options->no_bos, "omit the special tokens that the model adds before the text");
  return [options](const CommandContext&) { return run_tokens(*options); };
}

}  // namespace attnviz
