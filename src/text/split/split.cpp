// See split.h.
#include "text/split/split.h"

#include <algorithm>

namespace attnviz {
namespace {

// Matches are joined to the stretch before them; the second of two adjacent matches stays separate.
std::vector<CharRange> merge_with_previous(const std::vector<Stretch>& stretches) {
  std::vector<CharRange> ranges;
  bool last_match = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.match && !last_match && !ranges.empty()) {
      ranges.back().end = stretch.range.end;
    } else {
      ranges.push_back(stretch.range);
    }
    last_match = stretch.match;
  }
  return ranges;
}

std::vector<CharRange> merge_with_next(const std::vector<Stretch>& stretches) {
  std::vector<CharRange> ranges;  // from the last to the first
  bool next_match = false;
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    if (stretch->match && !next_match && !ranges.empty()) {
      ranges.back().begin = stretch->range.begin;
    } else {
      ranges.push_back(stretch->range);
    }
    next_match = stretch->match;
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

std::vector<CharRange> merge_equal(const std::vector<Stretch>& stretches) {
  std::vector<CharRange> ranges;
  bool last_match = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.match == last_match && !ranges.empty()) {
      ranges.back().end = stretch.range.end;
    } else {
      ranges.push_back(stretch.range);
    }
    last_match = stretch.match;
  }
  return ranges;
}

}  // namespace

std::vector<Stretch> cover(const std::vector<CharRange>& matches, std::size_t size) {
  std::vector<Stretch> stretches;
  std::size_t done = 0;
  for (const CharRange& match : matches) {
    if (done < match.begin) stretches.push_back({{done, match.begin}, false});
    stretches.push_back({match, true});
    done = match.end;
  }
  if (done < size) stretches.push_back({{done, size}, false});
  return stretches;
}

std::vector<CharRange> find_characters(AlignedView text, const std::function<bool(char32_t)>& test) {
  std::vector<CharRange> matches;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (test(text[i].code_point)) matches.push_back({i, i + 1});
  }
  return matches;
}

std::vector<CharRange> find_literal(AlignedView text, const std::u32string& literal) {
  std::vector<CharRange> matches;
  if (literal.empty()) return matches;
  const std::u32string code_point_text = code_points(text);
  for (std::size_t at = code_point_text.find(literal); at != std::u32string::npos;
       at = code_point_text.find(literal, at + literal.size())) {
    matches.push_back({at, at + literal.size()});
  }
  return matches;
}

std::vector<CharRange> split_stretches(const std::vector<Stretch>& stretches, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::kMergedWithPrevious: return merge_with_previous(stretches);
    case SplitBehavior::kMergedWithNext: return merge_with_next(stretches);
    case SplitBehavior::kContiguous: return merge_equal(stretches);
    case SplitBehavior::kRemoved:
    case SplitBehavior::kIsolated: break;
  }
  std::vector<CharRange> ranges;
  for (const Stretch& stretch : stretches) {
    if (behavior == SplitBehavior::kRemoved && stretch.match) continue;
    ranges.push_back(stretch.range);
  }
  return ranges;
}

}  // namespace attnviz
