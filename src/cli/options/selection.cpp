// See selection.h.
#include "cli/options/selection.h"

#include <attnviz/error.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/word_list.h"

namespace attnviz {
namespace {

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

[[noreturn]] void throw_malformed(std::string_view text, std::string_view option) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{} \"{}\": is not a list of numbers; expected something like 3, 0-2,5 or all", option, text));
}

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc::result_out_of_range) return std::numeric_limits<std::size_t>::max();
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The ranges of a list; empty for "all".
std::vector<Range> parse_ranges(std::string_view text, std::string_view option) {
  if (text == "all") return {};
  std::vector<Range> ranges;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last) throw_malformed(text, option);
    if (*first > *last) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} \"{}\": the range {} runs backwards; try {}-{}", option, text, part, *last, *first));
    }
    ranges.push_back({*first, *last});
    if (comma == std::string_view::npos) return ranges;
    rest.remove_prefix(comma + 1);
  }
}

// 0, 1, 2, 5 -> "0-2, 5"
std::string index_list(const std::vector<std::size_t>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    text += text.empty() ? "" : ", ";
    text += last == i ? fmt::to_string(indices[i]) : fmt::format("{}-{}", indices[i], indices[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::string> names_of(std::span<const Site> sites) {
  std::vector<std::string> names;
  for (const Site site : sites) names.emplace_back(site_name(site));
  return names;
}

}  // namespace

void check_selection(std::string_view text, std::string_view option) { parse_ranges(text, option); }

std::vector<std::size_t> select_available(std::string_view text, const SelectionContext& context,
                                          const std::vector<std::size_t>& available) {
  const std::vector<Range> ranges = parse_ranges(text, context.option);
  if (ranges.empty()) return available;
  std::set<std::size_t> chosen;
  for (const Range& range : ranges) {
    const auto first = std::lower_bound(available.begin(), available.end(), range.first);
    const auto last = std::upper_bound(first, available.end(), range.last);
    chosen.insert(first, last);
    if (static_cast<std::size_t>(last - first) == range.last - range.first + 1) continue;
    std::size_t missing = range.first;
    for (auto known = first; known != last && *known == missing; ++known) ++missing;
    throw Error(ErrorKind::kUsage, fmt::format("{} \"{}\": there is no {}; {} has these {}: {}", context.option, text, missing,
                                               context.model, context.what, index_list(available)));
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::size_t> parse_selection(std::string_view text, const SelectionContext& context) {
  std::vector<Range> ranges = parse_ranges(text, context.option);
  if (ranges.empty()) ranges.push_back({0, context.count - 1});
  std::set<std::size_t> chosen;
  for (const Range& range : ranges) {
    if (range.last >= context.count) {
      throw Error(ErrorKind::kUsage, fmt::format("{} \"{}\": {} is out of range; {} has {} {}, numbered 0 to {}", context.option,
                                                 text, range.first < context.count ? range.last : range.first, context.model,
                                                 context.count, context.what, context.count - 1));
    }
    for (std::size_t index = range.first; index <= range.last; ++index) chosen.insert(index);
  }
  return {chosen.begin(), chosen.end()};
}

std::optional<Site> parse_kind(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (const auto site = site_from_name(name)) return site;
  refuse_word("--kind", name, names_of(kAllSites));
}

Site choose_kind(std::optional<Site> wanted, const std::vector<Site>& available, const std::string& where) {
  if (!wanted && available.size() == 1) return available.front();
  const std::string names = fmt::format("{}", fmt::join(names_of(available), ", "));
  if (!wanted) {
    throw Error(ErrorKind::kUsage, fmt::format("--kind: {} has several kinds of attention; choose one of: {}", where, names));
  }
  if (std::find(available.begin(), available.end(), *wanted) != available.end()) return *wanted;
  throw Error(ErrorKind::kUsage, fmt::format("--kind {}: {} has no such attention; expected {}", site_name(*wanted), where, names));
}

}  // namespace attnviz
