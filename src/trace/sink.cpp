// See sink.h.
#include "trace/sink.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace attnviz {
namespace {

struct Totals {
  std::vector<double> weight;        // [C]
  std::vector<std::size_t> n_taken;  // [C]
  std::size_t n_rows = 0;
  double all = 0;
};

struct RowSum {
  double sum = 0;
  float most = 0;
};

// In lanes, so that no addition waits for the previous one: maps have tens of millions of weights.
RowSum sum_up(std::span<const float> row) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::array<float, kLanes> most{};
  std::size_t at = 0;
  for (; at + kLanes <= row.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += row[at + lane];
      most[lane] = std::max(most[lane], row[at + lane]);
    }
  }
  RowSum total;
  for (; at < row.size(); ++at) total.sum += row[at], total.most = std::max(total.most, row[at]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) total.sum += sums[lane], total.most = std::max(total.most, most[lane]);
  return total;
}

void add_row(std::span<const float> row, Totals* totals) {
  const RowSum total = sum_up(row);
  if (!(total.sum > total.most)) return;  // at most one key has any weight
  ++totals->n_rows;
  totals->all += total.sum;
  for (std::size_t column = 0; column < row.size(); ++column) totals->weight[column] += row[column];
  if (total.most <= total.sum / 2) return;
  const auto best = std::find(row.begin(), row.end(), total.most);
  ++totals->n_taken[static_cast<std::size_t>(best - row.begin())];
}

// A value that is not a number counts as 0.
void add_any_row(std::span<const float> row, Totals* totals) {
  if (std::isfinite(sum_up(row).sum)) return add_row(row, totals);
  std::vector<float> cleaned(row.begin(), row.end());
  for (float& weight : cleaned) weight = std::isfinite(weight) ? std::max(weight, 0.0F) : 0.0F;
  add_row(cleaned, totals);
}

}  // namespace

std::optional<ColumnShare> largest_column(std::span<const std::span<const float>> maps, std::size_t n_columns) {
  Totals totals{std::vector<double>(n_columns), std::vector<std::size_t>(n_columns)};
  for (const std::span<const float> map : maps) {
    for (std::size_t begin = 0; begin + n_columns <= map.size() && n_columns > 0; begin += n_columns) {
      add_any_row(map.subspan(begin, n_columns), &totals);
    }
  }
  if (totals.n_rows == 0) return std::nullopt;
  const auto best = std::max_element(totals.weight.begin(), totals.weight.end());
  const auto column = static_cast<std::size_t>(best - totals.weight.begin());
  return ColumnShare{column, *best / totals.all, totals.n_rows, totals.n_taken[column]};
}

}  // namespace attnviz
