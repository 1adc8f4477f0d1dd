// See suggest.h.
#include "base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace attnviz {
namespace {

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> closest_name(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 64) return std::nullopt;  // not a slip of a name
  constexpr std::size_t kEnoughToKnow = 3;
  for (const std::string& name : known) {
    if (word.size() >= kEnoughToKnow && lower_ascii(name).starts_with(lower_ascii(word))) return name;
  }
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(lower_ascii(word), lower_ascii(name));
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

}  // namespace attnviz
