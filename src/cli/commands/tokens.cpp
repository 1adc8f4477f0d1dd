// attnviz tokens TEXT [TEXT2]: show how a model's tokenizer splits a text: one line per token, or JSON. Tested in tests/cli.
#include <attnviz/error.h>
#include <attnviz/table.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "render/export/table_exports.h"
#include "render/terminal/terminal_table.h"

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

TableCell integer(std::size_t number) { return static_cast<std::int64_t>(number); }

// Index, id and so on of every token, as in documents; for people, the byte range of a token is one column.
Table table_of(const LoadedModel& loaded, const std::vector<Token>& tokens, bool for_people) {
  using Kind = ColumnKind;
  Table table{.schema = "attnviz.tokens/1", .rows_name = "tokens", .missing = "-"};
  table.facts.push_back({"model", loaded.info.name});
  table.columns = {{.name = "index", .kind = Kind::kInteger},
                   {.name = "id", .kind = Kind::kInteger},
                   {.name = "vocabulary", .kind = Kind::kToken},
                   {.name = "text", .kind = Kind::kToken}};
  if (for_people) {
    table.columns.push_back({.name = "bytes", .right = true});
  } else {
    table.columns.insert(table.columns.end(), {{.name = "begin", .kind = Kind::kInteger}, {.name = "end", .kind = Kind::kInteger}});
  }
  table.columns.insert(table.columns.end(), {{.name = "kind", .kind = Kind::kText},
                                             {.name = "word", .kind = Kind::kInteger},
                                             {.name = "segment", .kind = Kind::kInteger}});
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    std::vector<TableCell> row{integer(i), std::int64_t{token.id}, std::string(loaded.tokenizer->token_text(token.id)), token.text};
    if (for_people) {
      row.emplace_back(fmt::format("{}-{}", token.begin, token.end));
    } else {
      row.insert(row.end(), {integer(token.begin), integer(token.end)});
    }
    row.emplace_back(std::string(token_kind_name(token.kind)));
    row.push_back(token.word < 0 ? TableCell() : TableCell(std::int64_t{token.word}));
    row.emplace_back(std::int64_t{token.segment});
    table.rows.push_back(std::move(row));
  }
  return table;
}

int run_tokens(const TokensOptions& options) {
  if (options.format != "table" && options.format != "json") {
    throw Error(ErrorKind::kUsage, fmt::format("--format {}: is not known; expected table or json", options.format));
  }
  const LoadedModel loaded = open_wanted_model(options.model.model);
  const std::vector<Token> tokens =
      loaded.tokenizer->encode({options.text1, options.text2}, {.plain = options.plain, .no_bos = options.no_bos});
  if (options.format == "json") {
    write_table_json(table_of(loaded, tokens, false),
                     [](std::string_view bytes) { return write_descriptor(STDOUT_FILENO, bytes); });
  } else {
    write_descriptor(STDOUT_FILENO, draw_table(table_of(loaded, tokens, true), {.columns = kAnyWidth, .style = {}}));
  }
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
