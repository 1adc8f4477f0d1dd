// From weights to positions on the colour bar, and the bar's ticks. Everything a scale leaves out (clipped cells, weights under the
// bar's lower end) is counted, so that the picture can say it. Tested in tests/unit/figure/scale_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

struct ColourScale {
  Scale kind = Scale::kLinear;
  double low = 0;          // weight at the first colour; above 0 for kLog only
  double high = 1;         // weight at the last colour; 1 (a share) for kRow and kOwn
  double maximum = 0;      // largest weight of the figure, whatever the scale
  double share_above = 0;  // share of all cells drawn as `high` although they are more
  double share_below = 0;  // kLog: share of all cells that are under `low` but not 0

  // Where on the bar a weight lies, in [0, 1]. `own_maximum` is that of its row for kRow, of its map for kOwn; others do not use
  // it. Not a number counts as 0.
  double position(double weight, double own_maximum) const;
};

// Whether colours say shares of a maximum of their own.
constexpr bool shares_maxima(Scale scale) { return scale == Scale::kRow || scale == Scale::kOwn; }

// One scale for all panels; the sink's weights take no part in it. Throws Error(kUsage) for a vmax that is not a positive number,
// or that comes with kRow or kOwn.
ColourScale make_scale(const Figure& figure, const Style& style);

struct Tick {
  double position = 0;  // on the bar, 0..1
  std::string text;
};

// About five round numbers, lowest first, at most seven.
std::vector<Tick> scale_ticks(const ColourScale& scale);

// Three significant digits ("0.677", "1", "0.00123").
std::string format_weight(double weight);

// What one cell says: two decimals without the leading zero (".68", "1.0").
std::string format_cell_value(double weight);

}  // namespace attnviz
