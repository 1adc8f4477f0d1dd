// See added_tokens.h.
#include "text/added_tokens.h"

#include <utility>

#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

bool is_single_word(AlignedView text, CharRange match) {
  const bool word_before = match.begin > 0 && is_word_character(text[match.begin - 1].code_point);
  const bool word_after = match.end < text.size() && is_word_character(text[match.end].code_point);
  return !word_before && !word_after;
}

// The match with the white space it takes along; `free_from` is where the last match ended.
CharRange with_stripped_space(AlignedView text, CharRange match, const AddedTokenSpec& token, std::size_t free_from) {
  if (token.lstrip) {
    while (match.begin > free_from && is_white_space(text[match.begin - 1].code_point)) --match.begin;
  }
  if (token.rstrip) {
    while (match.end < text.size() && is_white_space(text[match.end].code_point)) ++match.end;
  }
  return match;
}

}  // namespace

void AddedTokenFinder::add(std::u32string pattern, const AddedTokenSpec* token) {
  if (pattern.empty()) return;
  lengths_by_first_[pattern.front()].insert(pattern.size());
  patterns_.emplace(std::move(pattern), token);
}

const AddedTokenFinder::Pattern* AddedTokenFinder::match_at(AlignedView text, std::size_t position) const {
  const auto lengths = lengths_by_first_.find(text[position].code_point);
  if (lengths == lengths_by_first_.end()) return nullptr;
  for (const std::size_t length : lengths->second) {
    if (length > text.size() - position) continue;
    const auto found = patterns_.find(code_points(text.subspan(position, length)));
    if (found != patterns_.end()) return &*found;
  }
  return nullptr;
}

std::vector<AddedTokenFinder::Piece> AddedTokenFinder::split(AlignedView text, bool plain) const {
  std::vector<Piece> pieces;
  std::size_t done = 0;
  std::size_t position = patterns_.empty() ? text.size() : 0;
  while (position < text.size()) {
    const Pattern* pattern = match_at(text, position);
    if (pattern == nullptr) {
      ++position;
      continue;
    }
    CharRange match{position, position + pattern->first.size()};
    position = match.end;
    const AddedTokenSpec& token = *pattern->second;
    if (plain && token.special) continue;
    if (token.single_word && !is_single_word(text, match)) continue;
    if (match.begin < done) continue;  // begins with white space that the token before has taken
    match = with_stripped_space(text, match, token, done);
    if (done < match.begin) pieces.push_back({{done, match.begin}});
    pieces.push_back({match, &token});
    done = match.end;
  }
  if (done < text.size()) pieces.push_back({{done, text.size()}});
  return pieces;
}

}  // namespace attnviz
