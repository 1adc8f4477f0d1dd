// A result in rows and columns: what searches, scores and measurements return, so that each is a function to a Table and every
// writer serves them all (render/export/table_exports.h, render/terminal/terminal_table.h, figure/table_figure.h).
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
  int decimals = 3;        // of a kNumber for people; JSON and CSV hold every digit
  bool is_signed = false;  // a kNumber that can be below 0: pictures of it have a scale symmetric about 0
  bool right = false;      // text that is at the right of its column; numbers always do
};

// Nothing (std::monostate) where nothing could be measured: null in JSON, an empty field in CSV, Table::missing for people.
// A float is written with the digits that tell it from other floats, a double with those that tell it from other doubles.
using TableCell = std::variant<std::monostate, std::string, std::int64_t, float, double>;

// What holds for all rows: one value, or a list of them.
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
  std::string missing = "n/a";                 // what people read in a cell with nothing
  std::string drawn{};      // the column that pictures show over the columns "layer" and "head"; empty: there is no picture of it
  std::string title{};      // of a picture: one line
  std::string subtitle{};   // of a picture, grey
  Provenance provenance{};  // the command that made it; written where it is set
};

// Position of a column by its name. Throws Error(kBug) for a name that no column has.
std::size_t column_index(const Table& table, const std::string& name);

// Throws Error(kBug) for a row of another length, a cell of another kind than its column's, or a number that is not finite. Every
// writer calls it first.
void check_table(const Table& table);

}  // namespace attnviz
