// From values to positions on a scale, and the ticks of its colour bar. Everything a scale leaves out (clipped cells, values under
// the bar's lower end) is counted, so that the picture can report it. Tested in tests/unit/figure/scale_test.cpp.
//
// A scale of signed values is the scale of their magnitudes, mirrored at 0: positions run from -1 to 1, the neutral colour at 0, so
// that equal distances from 0 look equally strong on both sides.
#pragma once

#include <attnviz/figure.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attnviz {

struct ColourScale {
  Scale kind = Scale::kLinear;
  bool is_signed = false;  // positions are in [-1, 1]; `low` and `high` are magnitudes
  double low = 0;          // magnitude at position 0; above 0 for kLog only
  double high = 1;         // magnitude at position 1; 1 (a share) for kRow and kOwn
  double minimum = 0;      // smallest value of the figure, 0 where none is negative
  double maximum = 0;      // largest value of the figure, 0 where none is positive, whatever the scale
  double share_above = 0;  // share of all cells drawn as `high` although their magnitude is larger
  double share_below = 0;  // kLog: share of all cells whose magnitude is under `low` but not 0

  // Where a value is on the scale: in [0, 1], in [-1, 1] for signed values. `own_maximum` is the largest magnitude of its row for
  // kRow, of its panel for kOwn (see OwnMaxima); other scales ignore it. Not a number counts as 0, and so does a negative value on
  // a scale that is not signed.
  double position(double value, double own_maximum) const;

  // The position that a share of the colour bar's length stands for, 0 at its lower end.
  double position_on_bar(double share) const { return is_signed ? 2 * share - 1 : share; }
};

// Whether colours show shares of a maximum of their own.
constexpr bool shares_maxima(Scale scale) { return scale == Scale::kRow || scale == Scale::kOwn; }

// The maxima whose shares the colours of a panel's rows show: the largest magnitude of each row (kRow) or of the panel (kOwn),
// without the sink's column and what is not finite; 0 for other scales.
class OwnMaxima {
 public:
  OwnMaxima(const Panel& panel, const ColourScale& scale, const std::optional<std::size_t>& sink);

  double of_row(std::size_t row) const { return rows_.empty() ? of_panel_ : rows_[row]; }

 private:
  std::vector<double> rows_;  // [R] for kRow
  double of_panel_ = 0;
};

// One scale for all panels; the sink's weights take no part in it. Throws Error(kUsage) for a vmax that is not a positive number,
// or that comes with kRow or kOwn.
ColourScale make_scale(const Figure& figure, const Style& style);

struct Tick {
  double position = 0;  // on the bar, 0..1 (see ColourScale::position_on_bar)
  std::string text;
};

// About five round numbers, lowest first, at most seven.
std::vector<Tick> scale_ticks(const ColourScale& scale);

// Three significant digits with a typographic minus sign ("0.677", "1", "0.00123", "−0.4").
std::string format_weight(double weight);

// What one cell shows: without the leading zero (".68", "1.0", "−.04"); an en dash for what is not a number.
std::string format_cell_value(double weight, int decimals = 2);

}  // namespace attnviz
