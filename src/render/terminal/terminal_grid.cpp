// See terminal_grid.h.
#include "render/terminal/terminal_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "render/terminal/terminal_colour.h"

namespace attnviz {
namespace {

constexpr std::size_t kCellWidth = 2;
constexpr std::size_t kMaxLabelHeight = 10;
constexpr std::size_t kMinRowLabelWidth = 8;

struct Layout {
  std::size_t label_width = 0;
  std::size_t n_blocks = 0;
  std::size_t block_size = 0;  // columns of the matrix in each block but the last
};

Layout lay_out(const CellGrid& grid, std::size_t columns) {
  std::size_t widest = 0;
  for (const GridLabel& label : grid.rows) widest = std::max(widest, label.text.width());
  Layout layout;
  layout.label_width = std::min(widest, std::max(kMinRowLabelWidth, columns / 4));
  const std::size_t taken = layout.label_width + 1;
  const std::size_t fitting = columns > taken ? (columns - taken) / kCellWidth : 0;
  if (fitting == 0 || grid.columns.empty()) return layout;
  layout.n_blocks = (grid.columns.size() + fitting - 1) / fitting;
  layout.block_size = (grid.columns.size() + layout.n_blocks - 1) / layout.n_blocks;  // blocks of nearly equal width
  return layout;
}

// Column labels are vertical, one character per line, and end at the matrix.
std::string draw_column_labels(const CellGrid& grid, std::size_t begin, std::size_t end, const Layout& layout, ColourDepth depth) {
  std::size_t height = 0;
  for (std::size_t c = begin; c < end; ++c) height = std::max(height, grid.columns[c].text.glyphs().size());
  height = std::min(height, kMaxLabelHeight);
  std::string lines;
  for (std::size_t line_index = 0; line_index < height; ++line_index) {
    StyledLine line(depth);
    line.put(std::string(layout.label_width + 1, ' '));
    for (std::size_t c = begin; c < end; ++c) {
      const std::vector<Glyph>& glyphs = grid.columns[c].text.glyphs();
      const std::size_t shown = std::min(glyphs.size(), height);
      std::string cell(kCellWidth, ' ');
      if (line_index + shown >= height) {
        const std::size_t index = line_index + shown - height;
        const bool cut = shown < glyphs.size() && index + 1 == shown;
        const Glyph glyph = cut ? Glyph{"\u22EE", 1} : glyphs[index];
        cell = glyph.bytes + std::string(kCellWidth - glyph.width, ' ');
      }
      line.put(cell, grid.columns[c].sgr);
    }
    lines += line.end();
  }
  return lines;
}

double largest_magnitude(const ColourScale& scale) { return std::max(scale.maximum, -scale.minimum); }

// How many of what the numbers in cells count make a 1, so that the largest fits two columns: hundredths of shares, else tenths,
// whole ones, tens ...
double number_factor(const ColourScale& scale) {
  double factor = 100;
  while (largest_magnitude(scale) * factor > 100.5) factor /= 10;
  return factor;
}

std::string numbers_legend(double factor) {
  if (factor > 50) return "numbers in hundredths";
  if (factor > 5) return "numbers in tenths";
  return factor > 0.5 ? "numbers rounded" : fmt::format("numbers count {:g}s", std::round(1 / factor));
}

// "68" for 0.68 in hundredths. Nothing where it would round to 0; "1." from 0.995 on. A sign is left to the colour.
std::string cell_number(float value, double factor) {
  const long count = std::lrint(std::abs(value) * factor);
  if (count <= 0) return "  ";
  return count >= 100 ? "1." : fmt::format("{:2}", count);
}

// Tenths of the scale: '9' from nine tenths on, '.' for less than a twentieth; of signed values with the sign in front.
std::string cell_digit(const ColourScale& scale, double position) {
  const double strength = std::abs(position);
  const std::string digit = strength < 0.05 ? "." : fmt::format("{}", std::min(9, static_cast<int>(strength * 10)));
  if (!scale.is_signed) return digit + " ";
  return (strength < 0.05 ? " " : position < 0 ? "-" : "+") + digit;
}

bool is_marked(const CellGrid& grid, std::size_t row, std::size_t column) {
  return std::any_of(grid.marks.begin(), grid.marks.end(),
                     [&](const CellMark& mark) { return row - mark.row < mark.n_rows && column - mark.column < mark.n_columns; });
}

// How the cells of one row are drawn.
struct RowStyle {
  const TerminalOptions& options;
  const Shades& shades;
  double own_maximum = 0;  // of a scale on which each row has its own
};

// A cell in brackets where it is marked, or with a star where digits leave no room; question marks for what is not a number, and a
// column that the scale leaves out is dim.
void put_cell(const CellGrid& grid, const CellMark& cell, const RowStyle& style, StyledLine* line) {
  const auto& [options, shades, own_maximum] = style;
  const float weight = grid.values[cell.row * grid.columns.size() + cell.column];
  const bool marked = is_marked(grid, cell.row, cell.column);
  const bool plain = options.colour == ColourDepth::kNone;
  if (!std::isfinite(weight)) {  // a cell that is not a weight
    line->put("??", kDim);
  } else if (cell.column == grid.sink) {
    line->put(marked ? ":*" : ": ", kDim);
  } else if (plain) {
    std::string digit = cell_digit(grid.scale, grid.scale.position(weight, own_maximum));
    if (marked) digit.back() = '*';
    line->put(digit);
  } else {
    const std::string number = options.style.values ? cell_number(weight, number_factor(grid.scale)) : marked ? "[]" : "  ";
    const std::string& shade = shades.cell(grid.scale.position(weight, own_maximum));
    line->put(number, marked ? fmt::format("{};{};{}", kBold, kUnderlined, shade) : shade);
  }
}

std::string draw_rows(const CellGrid& grid, std::size_t begin, std::size_t end, const Layout& layout,
                      const TerminalOptions& options) {
  const Shades shades(options, grid.scale.is_signed);
  const bool is_signed = grid.scale.is_signed;
  const std::size_t n_columns = grid.columns.size();
  std::string lines;
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const float* row = grid.values.data() + r * n_columns;
    const float row_maximum =
        std::accumulate(row, row + n_columns, 0.0F, [&](float a, float b) { return std::fmax(a, is_signed ? std::abs(b) : b); });
    const double own_maximum = grid.scale.kind == Scale::kRow ? row_maximum
                               : is_signed                    ? largest_magnitude(grid.scale)
                                                              : grid.scale.maximum;
    StyledLine line(options.colour);
    line.put(right_aligned(grid.rows[r].text.elided(layout.label_width), layout.label_width), grid.rows[r].sgr);
    line.put(" ");
    for (std::size_t c = begin; c < end; ++c) {
      put_cell(grid, {.row = r, .column = c}, {options, shades, own_maximum}, &line);
    }
    lines += line.end();
  }
  return lines;
}

// What the scale leaves out.
std::string clipping_notes(const ColourScale& scale) {
  std::string notes;
  if (scale.share_above > 0) {
    notes += fmt::format(", {:.2g}% are more (up to {})", 100 * scale.share_above,
                         format_weight(scale.is_signed ? largest_magnitude(scale) : scale.maximum));
  }
  if (scale.share_below > 0) notes += fmt::format(", {:.2g}% are less", 100 * scale.share_below);
  return notes;
}

std::string scale_notes(const ColourScale& scale) {
  std::string notes;
  if (scale.kind == Scale::kRow) notes = ", each row by its own maximum";
  if (scale.kind == Scale::kOwn) notes = ", as a share of the maximum";
  if (scale.kind == Scale::kLog) notes = ", logarithmic";
  return notes + clipping_notes(scale);
}

// The weight at the last shade.
double shown_high(const ColourScale& scale) { return scale.kind == Scale::kOwn ? largest_magnitude(scale) : scale.high; }

std::string digits_legend(const ColourScale& scale, const ValueInfo& value) {
  const std::string name = value.caption();
  if (scale.kind == Scale::kLog) {
    return fmt::format("{}, digits: {} to {}, logarithmic", name, format_weight(scale.low), format_weight(scale.high));
  }
  const std::string high = scale.kind == Scale::kRow ? "the row's maximum" : format_weight(shown_high(scale));
  return fmt::format("{} in tenths of {} (dot: hardly any)", name, high);
}

}  // namespace

std::size_t n_grid_blocks(const CellGrid& grid, std::size_t columns) { return lay_out(grid, columns).n_blocks; }

std::size_t grid_width(const CellGrid& grid, std::size_t columns) {
  const Layout layout = lay_out(grid, columns);
  return layout.label_width + 1 + kCellWidth * layout.block_size;
}

std::string draw_grid(const CellGrid& grid, const TerminalOptions& options) {
  const Layout layout = lay_out(grid, options.columns);
  std::string text;
  for (std::size_t block = 0; block < layout.n_blocks; ++block) {
    const std::size_t begin = block * layout.block_size;
    const std::size_t end = std::min(begin + layout.block_size, grid.columns.size());
    if (block > 0) text += "\n";
    text += draw_column_labels(grid, begin, end, layout, options.colour);
    text += draw_rows(grid, begin, end, layout, options);
  }
  return text;
}

std::string draw_legend(const ColourScale& scale, const ValueInfo& value, const TerminalOptions& options) {
  const std::string high = scale.kind == Scale::kRow ? "maximum" : format_weight(shown_high(scale));
  const TerminalText low = TerminalText::prose(scale.is_signed ? fmt::format("−{}", high) : format_weight(scale.low));
  StyledLine line(options.colour);
  if (options.colour == ColourDepth::kNone) {
    const std::string words = digits_legend(scale, value) + clipping_notes(scale);
    return line.put(TerminalText::prose(words).elided(options.columns).bytes()).end();
  }
  std::string words = "  " + value.caption() + scale_notes(scale);
  if (options.style.values) words += ", " + numbers_legend(number_factor(scale));
  const Shades shades(options, scale.is_signed);
  const std::size_t n_steps = scale.is_signed ? kSignedShadeSteps : kShadeSteps;
  line.put(low.bytes() + " ");
  for (std::size_t i = 0; i < n_steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n_steps - 1);
    line.put(" ", shades.cell(scale.position_on_bar(share)));
  }
  const std::size_t taken = low.width() + 1 + n_steps;
  line.put(TerminalText::prose(" " + high + words).elided(options.columns - std::min(options.columns, taken)).bytes());
  return line.end();
}

}  // namespace attnviz
