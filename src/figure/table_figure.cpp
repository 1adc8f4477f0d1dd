// See table_figure.h.
#include "figure/table_figure.h"

#include <attnviz/error.h>

#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/command_text.h"

namespace attnviz {
namespace {

std::size_t column_of_kind(const Table& table, const std::string& name, ColumnKind kind) {
  const std::size_t index = column_index(table, name);
  if (table.columns[index].kind == kind) return index;
  throw Error(ErrorKind::kBug, fmt::format("table {}: column \"{}\" cannot be drawn: it is of another kind", table.schema, name));
}

// The integers of a column, each with its place among them.
std::map<std::int64_t, std::size_t> places_of(const Table& table, std::size_t column) {
  std::map<std::int64_t, std::size_t> places;
  for (const std::vector<TableCell>& row : table.rows) {
    if (const auto* number = std::get_if<std::int64_t>(&row[column])) places.emplace(*number, 0);
  }
  std::size_t next = 0;
  for (auto& [number, place] : places) place = next++;
  return places;
}

std::vector<AxisLabel> labels_of(const std::map<std::int64_t, std::size_t>& places) {
  std::vector<AxisLabel> labels;
  for (const auto& [number, place] : places) labels.push_back({.text = fmt::to_string(number), .gap = " "});
  for (AxisLabel& label : labels) label.in_text = label.text;
  return labels;
}

std::optional<float> number_of(const TableCell& cell) {
  if (const auto* number = std::get_if<float>(&cell)) return *number;
  if (const auto* number = std::get_if<double>(&cell)) return static_cast<float>(*number);
  return std::nullopt;
}

}  // namespace

Figure make_table_figure(const Table& table, const TableAxes& axes) {
  check_table(table);
  const std::size_t row_column = column_of_kind(table, axes.row, ColumnKind::kInteger);
  const std::size_t column_column = column_of_kind(table, axes.column, ColumnKind::kInteger);
  const std::size_t value_column = column_of_kind(table, axes.value, ColumnKind::kNumber);
  const std::map<std::int64_t, std::size_t> rows = places_of(table, row_column);
  const std::map<std::int64_t, std::size_t> columns = places_of(table, column_column);
  if (rows.empty() || columns.empty())
    throw Error(ErrorKind::kBug, fmt::format("table {}: there is nothing to draw", table.schema));

  const TableColumn& shown = table.columns[value_column];
  Figure figure{.title = table.title, .subtitle = table.subtitle, .row_axis = axes.row, .column_axis = axes.column};
  figure.row_labels = labels_of(rows);
  figure.column_labels = labels_of(columns);
  figure.value = {.name = shown.name, .unit = shown.unit, .is_signed = shown.is_signed, .decimals = shown.decimals};
  figure.level_columns = true;
  figure.bad_cell = table.missing;
  figure.command = command_text(table.provenance);
  Panel& panel = figure.panels.emplace_back();
  panel.title = table.title;
  panel.n_rows = rows.size();
  panel.n_columns = columns.size();
  panel.values.assign(rows.size() * columns.size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<bool> taken(panel.values.size());
  for (const std::vector<TableCell>& row : table.rows) {
    const auto* row_number = std::get_if<std::int64_t>(&row[row_column]);
    const auto* column_number = std::get_if<std::int64_t>(&row[column_column]);
    if (row_number == nullptr || column_number == nullptr) continue;  // a row about no single pair
    const std::size_t place = rows.at(*row_number) * columns.size() + columns.at(*column_number);
    if (taken[place]) {
      throw Error(ErrorKind::kBug, fmt::format("table {}: two rows of {} {}, {} {}", table.schema, axes.row, *row_number,
                                               axes.column, *column_number));
    }
    taken[place] = true;
    if (const std::optional<float> value = number_of(row[value_column])) panel.values[place] = *value;
  }
  return figure;
}

}  // namespace attnviz
