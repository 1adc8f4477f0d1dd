// See scale.h.
#include "figure/scale.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/setting_error.h"

namespace attnviz {
namespace {

constexpr double kRobustShare = 0.98;
// Softmax leaves weights like 1e-30; a bar that reached down to them would show little else.
constexpr double kMaxDecades = 6;
constexpr std::size_t kMaxTicks = 7;

// All values except those of the sink.
template <typename Visit>
void for_each_weight(const Figure& figure, Visit visit) {
  for (const Panel& panel : figure.panels) {
    for (std::size_t i = 0; i < panel.values.size(); ++i) {
      if (figure.sink && i % panel.n_columns == *figure.sink) continue;
      visit(std::isfinite(panel.values[i]) ? static_cast<double>(panel.values[i]) : 0.0);
    }
  }
}

std::size_t count_weights(const Figure& figure) {
  std::size_t n = 0;
  for (const Panel& panel : figure.panels) n += panel.values.size() - (figure.sink ? panel.n_rows : 0);
  return n;
}

// The percentile of magnitudes if values are signed.
double percentile(const Figure& figure, double share) {
  std::vector<float> weights;
  weights.reserve(count_weights(figure));
  const bool is_signed = figure.value.is_signed;
  for_each_weight(figure, [&](double weight) { weights.push_back(static_cast<float>(is_signed ? std::abs(weight) : weight)); });
  if (weights.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(weights.size())));
  const auto nth = weights.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(weights.begin(), nth, weights.end());
  return *nth;
}

double smallest_positive(const Figure& figure, double otherwise) {
  double smallest = otherwise;
  for_each_weight(figure, [&](double weight) {
    if (figure.value.is_signed) weight = std::abs(weight);
    if (weight > 0) smallest = std::min(smallest, weight);
  });
  return smallest;
}

void count_outside(const Figure& figure, ColourScale* scale) {
  const std::size_t n = count_weights(figure);
  if (n == 0 || shares_maxima(scale->kind)) return;
  std::size_t above = 0;
  std::size_t below = 0;
  for_each_weight(figure, [&](double weight) {
    if (scale->is_signed) weight = std::abs(weight);
    // An f32 just above a limit that went through a decimal (a vmax of 0.3) is not clipped in any sense that can be seen.
    if (weight > scale->high * (1 + 1e-6)) ++above;
    if (weight > 0 && weight < scale->low * (1 - 1e-6)) ++below;
  });
  scale->share_above = static_cast<double>(above) / static_cast<double>(n);
  scale->share_below = static_cast<double>(below) / static_cast<double>(n);
}

void check_vmax(const Style& style) {
  if (!style.vmax) return;
  if (!std::isfinite(*style.vmax) || *style.vmax <= 0) {
    throw SettingError(ErrorKind::kUsage,
                       {Setting::kVmax, fmt::format(": {} cannot end a colour bar; expected a number above 0", *style.vmax)});
  }
  if (shares_maxima(style.scale)) {
    const char* what = style.scale == Scale::kRow ? "row" : "own";
    const char* whose = style.scale == Scale::kRow ? "row" : "map";
    throw SettingError(ErrorKind::kUsage, {Setting::kVmax, ": has no effect with ", Setting::kScale,
                                           fmt::format(" {}, where every {} ends at its own maximum; leave one out", what, whose)});
  }
}

// The value 1, 2, 2.5 or 5 times a power of ten that divides `span` into nearly four parts.
double nice_step(double span) {
  const double magnitude = std::pow(10.0, std::floor(std::log10(span)) - 1);
  double best = magnitude;
  double best_distance = 1e9;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0}) {
    const double distance = std::abs(std::floor(span / (factor * magnitude) + 1e-9) - 4);
    if (distance < best_distance) best = factor * magnitude, best_distance = distance;
  }
  return best;
}

int decimals_for(double step) {
  for (int decimals = 0; decimals < 12; ++decimals) {
    const double scaled = step * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string format_power(int exponent, bool as_decimal) {
  if (exponent == 0) return "1";
  if (as_decimal) return fmt::format("{:.{}f}", std::pow(10.0, exponent), std::max(0, -exponent));
  return "10" + superscript(exponent);
}

// A minus sign as wide as a plus, where fmt writes a hyphen.
std::string with_minus_sign(const std::string& text) { return text.starts_with('-') ? fmt::format("−{}", text.substr(1)) : text; }

std::vector<Tick> linear_ticks(const ColourScale& scale) {
  const double step = nice_step(scale.high - scale.low);
  const int decimals = decimals_for(step);
  std::vector<Tick> ticks;
  for (double i = std::ceil(scale.low / step - 1e-9); i * step <= scale.high * (1 + 1e-9) && ticks.size() < kMaxTicks; ++i) {
    const double weight = i * step;
    ticks.push_back(
        {(weight - scale.low) / (scale.high - scale.low), weight == 0 ? "0" : fmt::format("{:.{}f}", weight, decimals)});
  }
  return ticks;
}

// Whole powers of ten, every second or third of them where they are many.
std::vector<Tick> log_ticks(const ColourScale& scale) {
  constexpr double kTolerance = 1e-6;  // 0.001 as f32 is a little more than a thousandth
  const double low = std::log10(scale.low);
  const double high = std::log10(scale.high);
  const int first = static_cast<int>(std::ceil(low - kTolerance));
  const int last = static_cast<int>(std::floor(high + kTolerance));
  std::vector<Tick> ticks;
  if (last - first < 1) {  // hardly a decade: round numbers, set where their logarithms are
    for (Tick tick : linear_ticks(ColourScale{.kind = Scale::kLinear, .low = scale.low, .high = scale.high})) {
      const double weight = scale.low + tick.position * (scale.high - scale.low);
      tick.position = (std::log10(weight) - low) / (high - low);
      ticks.push_back(tick);
    }
    return ticks;
  }
  const int stride = (last - first) / 5 + 1;
  for (int exponent = last; exponent >= first; exponent -= stride) {
    ticks.insert(ticks.begin(), Tick{std::clamp((exponent - low) / (high - low), 0.0, 1.0), format_power(exponent, first >= -3)});
  }
  return ticks;
}

// The ticks of the magnitudes, on both sides of a 0 in the middle. Ticks too close to the 0 are left out: the lower end of a log
// scale is there as well, and the two numbers would overlap.
std::vector<Tick> signed_ticks(const ColourScale& scale) {
  constexpr double kClearOfZero = 0.15;
  ColourScale magnitudes = scale;
  magnitudes.is_signed = false;
  std::vector<Tick> above;
  for (Tick& tick : scale_ticks(magnitudes)) {
    if (tick.position > kClearOfZero) above.push_back(std::move(tick));
  }
  if (above.size() > 3) {  // at most seven with 0 and the other side: every second one, the outermost kept
    std::vector<Tick> kept;
    for (std::size_t i = (above.size() - 1) % 2; i < above.size(); i += 2) kept.push_back(above[i]);
    above = std::move(kept);
  }
  std::vector<Tick> ticks;
  for (std::size_t i = above.size(); i-- > 0;) ticks.push_back({0.5 - above[i].position / 2, fmt::format("−{}", above[i].text)});
  ticks.push_back({0.5, "0"});
  for (const Tick& tick : above) ticks.push_back({0.5 + tick.position / 2, tick.text});
  return ticks;
}

}  // namespace

double ColourScale::position(double value, double own_maximum) const {
  if (is_signed && value < 0) return -position(-value, own_maximum);
  if (!(value > 0)) return 0;
  if (shares_maxima(kind)) return own_maximum > 0 ? std::min(value / own_maximum, 1.0) : 0;
  if (kind == Scale::kLog) return std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0);
  return std::min(value / high, 1.0);
}

OwnMaxima::OwnMaxima(const Panel& panel, const ColourScale& scale, const std::optional<std::size_t>& sink) {
  if (!shares_maxima(scale.kind)) return;
  for (std::size_t row = 0; row < panel.n_rows; ++row) {
    double most = 0;
    for (std::size_t column = 0; column < panel.n_columns; ++column) {
      const double value = panel.values[row * panel.n_columns + column];
      if (!std::isfinite(value) || column == sink) continue;
      most = std::max(most, scale.is_signed ? std::abs(value) : value);
    }
    if (scale.kind == Scale::kRow) rows_.push_back(most);
    of_panel_ = std::max(of_panel_, most);
  }
}

ColourScale make_scale(const Figure& figure, const Style& style) {
  check_vmax(style);
  ColourScale scale{.kind = style.scale, .is_signed = figure.value.is_signed};
  for_each_weight(figure, [&](double weight) {
    scale.minimum = std::min(scale.minimum, weight);
    scale.maximum = std::max(scale.maximum, weight);
  });
  if (shares_maxima(scale.kind)) return scale;

  const double largest = scale.is_signed ? std::max(scale.maximum, -scale.minimum) : scale.maximum;
  if (style.vmax) {
    scale.high = *style.vmax;
  } else if (largest > 0) {
    const double robust = scale.kind == Scale::kRobust ? percentile(figure, kRobustShare) : 0;
    scale.high = robust > 0 ? robust : largest;
  }
  if (scale.kind == Scale::kLog) {
    scale.low = std::max(smallest_positive(figure, scale.high), scale.high * std::pow(10.0, -kMaxDecades));
    if (scale.low > scale.high * 0.9) scale.low = scale.high / 10;  // all weights alike
  }
  count_outside(figure, &scale);
  return scale;
}

std::vector<Tick> scale_ticks(const ColourScale& scale) {
  if (scale.is_signed) return signed_ticks(scale);
  return scale.kind == Scale::kLog ? log_ticks(scale) : linear_ticks(scale);
}

std::string format_weight(double weight) { return with_minus_sign(fmt::format("{:.3g}", weight)); }

std::string format_cell_value(double weight, int decimals) {
  if (!std::isfinite(weight)) return "–";
  std::string text = fmt::format("{:.{}f}", std::abs(weight), decimals);
  const bool negative = weight < 0 && text.find_first_of("123456789") != std::string::npos;  // not "−.00"
  if (text == "1.00" && !negative) return "1.0";                                             // as wide as the others
  if (text.starts_with("0.")) text.erase(0, 1);
  return negative ? fmt::format("−{}", text) : text;
}

}  // namespace attnviz
