// A result in rows and columns. Searches, scores and measurements all return a Table, so every writer works for all of them
// (render/export/table_exports.h, render/terminal/terminal_table.h, figure/table_figure.h).
#pragma once

#include <attnviz/provenance.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attnviz {

enum class ColumnKind : std::uint8_t {
  kText,     // prose: a name, a sentence
  kToken,    // text of tokens, whose spaces and control characters people must see
  kInteger,  // counts and indices
  kNumber,
};

struct TableColumn {
  std::string name;  // "effect": the key in JSON, the header in CSV and for people
  ColumnKind kind = ColumnKind::kText;
  std::string unit{};      // "nats"; shown to people
  int decimals = 3;        // of a kNumber, for people; JSON and CSV have every digit
  bool is_signed = false;  // a kNumber that can be below 0: pictures of it have a scale symmetric about 0
  bool right = false;      // align text to the right; numbers always are
};

// Empty (std::monostate) if nothing could be measured: null in JSON, an empty field in CSV, Table::missing for people.
// A float is written with just enough digits to identify it among floats, a double among doubles.
using TableCell = std::variant<std::monostate, std::string, std::int64_t, float, double>;

// A fact about all rows: one value, or a list of them.
struct TableFact {
  std::string name;  // "model", "from", "baseline": a key in JSON
  std::variant<TableCell, std::vector<TableCell>> value;
};

struct Table {
  std::string schema;                          // name and version: "attnviz.find/1"
  std::string rows_name = "rows";              // what the rows are, the key of their list in JSON: "heads"
  std::vector<TableFact> facts{};              // in the order of the JSON document, before the rows
  std::vector<TableColumn> columns{};          // [C], names unique
  std::vector<std::vector<TableCell>> rows{};  // [R][C], best first where rows are ranked
  std::string missing = "n/a";                 // what people see for an empty cell
  std::string drawn{};      // the column that pictures show over the columns "layer" and "head"; empty: no picture
  std::string title{};      // of a picture: one line
  std::string subtitle{};   // of a picture, grey
  Provenance provenance{};  // the command that made it; written if set
};

// Position of a column by its name. Throws Error(kBug) for a name that no column has.
std::size_t column_index(const Table& table, const std::string& name);

// Throws Error(kBug) for a row of the wrong length, a cell that does not match its column's kind, or a number that is not finite.
// Every writer calls it first.
void check_table(const Table& table);

}  // namespace attnviz
