// See map_checks.h.
#include "formats/maps/map_checks.h"

#include <attnviz/error.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/setting_error.h"

namespace attnviz {
namespace {

constexpr double kFloatTolerance = 0x1p-13;
constexpr double kMostTolerance = 0.25;     // a wider one would accept anything
constexpr std::size_t kFewestDecimals = 2;  // numbers with fewer, such as 0.5 and 0.3, were typed and not rounded

// The sums that the rows of a trace may have.
enum class RowRule {
  kWhole,  // 1, or 0
  kPart,   // at most 1, because keys were left out
  kTiles,  // anything, because each weight stands for a tile or is a maximum over heads or layers
};

RowRule rule_of(const Trace& trace) {
  if (trace.pool || (trace.reduced && trace.reduced->by == ReduceBy::kMax)) return RowRule::kTiles;
  const bool part = std::any_of(trace.keys.begin(), trace.keys.end(), [](const Token& key) { return key.position.has_value(); });
  return trace.special_hidden || part ? RowRule::kPart : RowRule::kWhole;
}

struct RowFacts {
  bool sound = true;  // every number is a valid weight
  double sum = 0;
  std::uint32_t bits = 0;  // the bit patterns of all numbers, ORed: see row_tolerance
};

bool is_weight(float value) { return value >= 0 && value <= std::numeric_limits<float>::max(); }

RowFacts look_at(std::span<const float> row) {
  RowFacts facts;
  for (const float value : row) {
    facts.sound = facts.sound && is_weight(value);
    facts.sum += static_cast<double>(value);
    facts.bits |= std::bit_cast<std::uint32_t>(value);
  }
  return facts;
}

class MapChecker {
 public:
  MapChecker(MapFile* file, const MapCheckOptions& options)
      : trace_(file->trace), options_(options), decimals_(file->decimals), rule_(rule_of(file->trace)) {}

  void run() {
    for (AttentionMap& map : trace_.maps) {
      for (std::size_t row = 0; row < map.n_query; ++row) check_row(&map, row);
    }
    if (n_bad_cell_ > 0)
      add_note(n_bad_cell_ == 1 ? "1 cell is not a valid weight" : fmt::format("{} cells are not valid weights", n_bad_cell_));
    if (n_bad_row_ > 0) add_note(n_bad_row_ == 1 ? "1 row does not sum to 1" : fmt::format("{} rows do not sum to 1", n_bad_row_));
  }

 private:
  void check_row(AttentionMap* map, std::size_t row) {
    const std::span<float> weights(map->pattern.data() + row * map->n_key, map->n_key);
    const RowFacts facts = look_at(weights);
    if (!facts.sound) return bad_cells(*map, row, weights);
    if (rule_ == RowRule::kTiles || facts.sum == 0) return;
    const double tolerance = row_tolerance(facts.bits, map->n_key, decimals_);
    if (facts.sum <= 1 + tolerance && (rule_ == RowRule::kPart || facts.sum >= 1 - tolerance)) return;
    ++n_bad_row_;
    if (!options_.force) fail_sum(*map, row, facts.sum, tolerance);
  }

  std::string place(const AttentionMap& map, std::size_t row) const {
    return fmt::format("{}: layer {}, head {}, row {} ({})", options_.where, map.layer, map.head, row,
                       quote_text(trace_.queries[row].text, 40));
  }

  void bad_cells(const AttentionMap& map, std::size_t row, std::span<float> weights) {
    for (std::size_t column = 0; column < weights.size(); ++column) {
      const float value = weights[column];
      if (is_weight(value)) continue;
      if (!options_.force) {
        const char* what = std::isnan(value) ? "is not a number" : value < 0 ? "is negative" : "is not finite";
        throw SettingError(ErrorKind::kInput,
                           {fmt::format("{}, column {} ({}): {}; expected a weight of 0 to 1, found {}; try ", place(map, row),
                                        column, quote_text(trace_.keys[column].text, 40), what, value),
                            Setting::kForce, " to draw such cells hatched"});
      }
      weights[column] = std::numeric_limits<float>::quiet_NaN();
      ++n_bad_cell_;
    }
  }

  // Guesses two common mistakes: scores before softmax, and exchanged rows and columns.
  [[noreturn]] void fail_sum(const AttentionMap& map, std::size_t row, double sum, double tolerance) const {
    const char* guess = columns_sum_to_one(map) ? "its columns do: are rows and columns the wrong way round? "
                        : sum > 1.5             ? "are these the scores before softmax? "
                                                : "";
    throw SettingError(ErrorKind::kInput,
                       {fmt::format("{}: sums to {:.6g}; expected {} within {:.2g}, or all zeros; {}try ", place(map, row), sum,
                                    rule_ == RowRule::kPart ? "at most 1" : "1", tolerance, guess),
                        Setting::kForce, " to draw it as it is"});
  }

  bool columns_sum_to_one(const AttentionMap& map) const {
    std::vector<double> sums(map.n_key);
    for (std::size_t i = 0; i < map.pattern.size(); ++i) sums[i % map.n_key] += static_cast<double>(map.pattern[i]);
    return std::all_of(sums.begin(), sums.end(), [](double sum) { return std::abs(sum - 1) < 0.02; });
  }

  void add_note(const std::string& note) {
    std::vector<std::string>& notes = trace_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }

  Trace& trace_;
  const MapCheckOptions& options_;
  std::size_t decimals_;
  RowRule rule_;
  std::size_t n_bad_cell_ = 0;
  std::size_t n_bad_row_ = 0;
};

}  // namespace

double row_tolerance(std::uint32_t bits, std::size_t n, std::size_t decimals) {
  const auto n_key = static_cast<double>(n);
  double tolerance = kFloatTolerance;
  if ((bits & 0xFFFF) == 0) {
    tolerance = 0x1p-7;
  } else if ((bits & 0x1FFF) == 0) {
    tolerance = 0x1p-11 + n_key * 0x1p-25;
  }
  if (decimals < kFewestDecimals || decimals >= MapFile::kNotRounded) return tolerance;
  return std::max(tolerance, std::min(kMostTolerance, n_key * std::pow(10.0, -static_cast<double>(decimals))));
}

void check_maps(MapFile* file, const MapCheckOptions& options) { MapChecker(file, options).run(); }

}  // namespace attnviz
