// See terminal_table.h.
#include "render/terminal/terminal_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/terminal/terminal_colour.h"
#include "render/terminal/terminal_text.h"

namespace attnviz {
namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kNarrowestText = 8;  // texts are cut as far as this before columns are left out

bool is_text(const TableColumn& column) { return column.kind == ColumnKind::kText || column.kind == ColumnKind::kToken; }
bool is_right(const TableColumn& column) { return !is_text(column) || column.right; }

std::string heading(const TableColumn& column) {
  return column.unit.empty() ? column.name : fmt::format("{} ({})", column.name, column.unit);
}

TerminalText cell_text(const TableCell& cell, const TableColumn& column, const std::string& missing) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return column.kind == ColumnKind::kToken ? TerminalText(*text) : TerminalText::prose(*text);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return TerminalText(fmt::to_string(*integer));
  if (const auto* number = std::get_if<float>(&cell)) return TerminalText(fmt::format("{:.{}f}", *number, column.decimals));
  if (const auto* number = std::get_if<double>(&cell)) return TerminalText(fmt::format("{:.{}f}", *number, column.decimals));
  return TerminalText(missing);
}

std::size_t width_of(const std::vector<std::size_t>& widths) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) width += widths[i] + (i > 0 ? kGap : 0);
  return width;
}

// Makes `widths` fit: takes columns off the widest text, then drops columns from the end. The first column always stays.
void fit_widths(const std::vector<TableColumn>& columns, std::size_t room, std::vector<std::size_t>* widths) {
  while (width_of(*widths) > room) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < widths->size(); ++i) {
      if (!is_text(columns[i]) || (*widths)[i] <= kNarrowestText) continue;
      if (widest == columns.size() || (*widths)[i] > (*widths)[widest]) widest = i;
    }
    if (widest < columns.size()) {
      --(*widths)[widest];
    } else if (widths->size() > 1) {
      widths->pop_back();
    } else {
      widths->front() = room;
    }
  }
}

}  // namespace

std::string draw_table(const Table& table, const TerminalOptions& options) {
  check_table(table);
  std::vector<std::vector<TerminalText>> lines(1);  // the first one: the columns' names
  for (const TableColumn& column : table.columns) lines[0].push_back(TerminalText::prose(heading(column)));
  for (const std::vector<TableCell>& row : table.rows) {
    std::vector<TerminalText>& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) line.push_back(cell_text(row[i], table.columns[i], table.missing));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const std::vector<TerminalText>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].width());
  }
  fit_widths(table.columns, options.columns, &widths);

  std::string text;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    StyledLine line(options.colour);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const TerminalText cell = lines[row][i].elided(widths[i]);
      const bool is_nothing = row > 0 && std::holds_alternative<std::monostate>(table.rows[row - 1][i]);
      if (i > 0) line.put(std::string(kGap, ' '));
      line.put(is_right(table.columns[i]) ? right_aligned(cell, widths[i]) : left_aligned(cell, widths[i]),
               row == 0 || is_nothing ? kDim : std::string_view{});
    }
    text += line.end();
  }
  if (widths.size() < table.columns.size()) {
    std::vector<std::string> left_out;
    for (std::size_t i = widths.size(); i < table.columns.size(); ++i) left_out.push_back(table.columns[i].name);
    const std::string note = fmt::format("not shown in {} columns: {}", options.columns, fmt::join(left_out, ", "));
    text += StyledLine(options.colour).put(TerminalText::prose(note).elided(options.columns).bytes(), kDim).end();
  }
  return text;
}

}  // namespace attnviz
