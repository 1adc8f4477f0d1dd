// See table_exports.h.
#include "render/export/table_exports.h"

#include "base/command_text.h"
#include "render/byte_sink.h"
#include "render/export/text_exports.h"

namespace attnviz {
namespace {

// How the two formats spell text and nothing; numbers are the same in both.
struct Spelling {
  std::string (*text)(std::string_view);
  std::string_view nothing;
};
constexpr Spelling kJson{json_string, "null"};
constexpr Spelling kCsv{csv_field, ""};

void put_cell(const TableCell& cell, const Spelling& spelling, ChunkedWriter* out) {
  const auto put = [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::monostate>) {
      out->put(spelling.nothing);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      out->put(spelling.text(value));
    } else {
      out->put_number(value);
    }
  };
  std::visit(put, cell);
}

void put_fact(const TableFact& fact, ChunkedWriter* out) {
  out->put(", ");
  out->put(json_string(fact.name));
  out->put(": ");
  if (const auto* cell = std::get_if<TableCell>(&fact.value)) {
    put_cell(*cell, kJson, out);
    return;
  }
  out->put("[");
  const char* separator = "";
  for (const TableCell& cell : std::get<std::vector<TableCell>>(fact.value)) {
    out->put(separator);
    put_cell(cell, kJson, out);
    separator = ", ";
  }
  out->put("]");
}

}  // namespace

void write_table_json(const Table& table, const ByteSink& sink, bool one_line) {
  check_table(table);
  const char* line_break = one_line ? "" : "\n";
  ChunkedWriter out(sink);
  out.put("{\"schema\": ");
  out.put(json_string(table.schema));
  for (const TableFact& fact : table.facts) put_fact(fact, &out);
  out.put(", ");
  out.put(json_string(table.rows_name));
  out.put(": [");
  std::vector<std::string> keys;
  for (const TableColumn& column : table.columns) keys.push_back((keys.empty() ? "{" : ", ") + json_string(column.name) + ": ");
  for (std::size_t row = 0; row < table.rows.size() && out.open(); ++row) {
    if (row > 0) out.put(",");
    out.put(line_break);
    for (std::size_t column = 0; column < keys.size(); ++column) {
      out.put(keys[column]);
      put_cell(table.rows[row][column], kJson, &out);
    }
    out.put("}");
  }
  out.put("]");
  if (const std::string command = command_text(table.provenance); !command.empty()) {
    out.put(", \"command\": ");
    out.put(json_string(command));
  }
  out.put("}\n");
  out.flush();
}

void write_table_csv(const Table& table, const ByteSink& sink) {
  check_table(table);
  ChunkedWriter out(sink);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (column > 0) out.put(",");
    out.put(csv_field(table.columns[column].name));
  }
  out.put("\n");
  for (const std::vector<TableCell>& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) out.put(",");
      put_cell(row[column], kCsv, &out);
    }
    out.put("\n");
    if (!out.open()) return;
  }
  out.flush();
}

}  // namespace attnviz
