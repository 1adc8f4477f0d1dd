// See attnviz/table.h. Tested in tests/unit/base/table_test.cpp.
#include <attnviz/error.h>
#include <attnviz/table.h>

#include <cmath>

#include <fmt/format.h>

namespace attnviz {
namespace {

bool fits_kind(const TableCell& cell, ColumnKind kind) {
  if (std::holds_alternative<std::monostate>(cell)) return true;
  switch (kind) {
    case ColumnKind::kText:
    case ColumnKind::kToken: return std::holds_alternative<std::string>(cell);
    case ColumnKind::kInteger: return std::holds_alternative<std::int64_t>(cell);
    case ColumnKind::kNumber: return std::holds_alternative<float>(cell) || std::holds_alternative<double>(cell);
  }
  return false;
}

bool is_finite(const TableCell& cell) {
  if (const auto* number = std::get_if<float>(&cell)) return std::isfinite(*number);
  if (const auto* number = std::get_if<double>(&cell)) return std::isfinite(*number);
  return true;
}

}  // namespace

std::size_t column_index(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == name) return i;
  }
  throw Error(ErrorKind::kBug, fmt::format("table {}: it has no column \"{}\"", table.schema, name));
}

void check_table(const Table& table) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.rows[row].size() != table.columns.size()) {
      throw Error(ErrorKind::kBug, fmt::format("table {}: row {} has {} cells; expected {}", table.schema, row,
                                               table.rows[row].size(), table.columns.size()));
    }
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const TableCell& cell = table.rows[row][column];
      const char* fault = !fits_kind(cell, table.columns[column].kind) ? "is not of its column's kind"
                          : !is_finite(cell)                           ? "is not finite"
                                                                       : nullptr;
      if (fault == nullptr) continue;
      throw Error(ErrorKind::kBug, fmt::format("table {}: row {}, column \"{}\": the value {}", table.schema, row,
                                               table.columns[column].name, fault));
    }
  }
}

}  // namespace attnviz
