// See token_reference.h. A spelling is searched among whole words first, then among single tokens ("##ing", "[CLS]").
#include "trace/token_reference.h"

#include <attnviz/error.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/setting_error.h"
#include "base/suggest.h"
#include "trace/label.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostListed = 40;  // words of a message
constexpr std::size_t kMostPlaces = 8;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return text;  // white space alone is its own spelling
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void fail(const TokenNames& names, std::string_view reference, const std::string& what) {
  throw SettingError(ErrorKind::kInput, {names.setting, fmt::format(" {}: {}", quote_text(reference), what)});
}

// The word that begins at token `begin`: adjacent tokens with the same word number.
TokenSpan word_at(std::span<const Token> tokens, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < tokens.size() && tokens[begin].word >= 0 && tokens[end].word == tokens[begin].word &&
         tokens[end].segment == tokens[begin].segment) {
    ++end;
  }
  return {begin, end};
}

// As spelled in the text, without the space that some vocabularies keep with a word.
std::string_view word_text(const TokenNames& names, TokenSpan word) {
  const Token& first = names.tokens[word.begin];
  if (word.size() == 1) return trimmed(first.text);
  const auto segment = static_cast<std::size_t>(first.segment);
  const std::size_t end = names.tokens[word.end - 1].end;
  if (segment >= names.texts.size() || first.begin >= end || end > names.texts[segment].size()) return trimmed(first.text);
  return trimmed(std::string_view(names.texts[segment]).substr(first.begin, end - first.begin));
}

std::vector<TokenSpan> words_of(const TokenNames& names) {
  std::vector<TokenSpan> words;
  for (std::size_t i = 0; i < names.tokens.size(); i = words.back().end) words.push_back(word_at(names.tokens, i));
  return words;
}

// Every place with that spelling: whole words, or if there are none, single tokens by their text or label.
std::vector<TokenSpan> places_of(std::string_view spelling, const TokenNames& names, const std::vector<TokenSpan>& words) {
  std::vector<TokenSpan> places;
  for (const TokenSpan& word : words) {
    if (word_text(names, word) == spelling) places.push_back(word);
  }
  if (!places.empty()) return places;
  for (std::size_t i = 0; i < names.tokens.size(); ++i) {
    const Token& token = names.tokens[i];
    if (trimmed(token.text) == spelling || token_label(token) == spelling) places.push_back({i, i + 1});
  }
  return places;
}

// The list may hold a part of the text, or tiles of it. Its entries then have the positions of their tokens in the text.
bool is_part(const TokenNames& names) { return !names.tokens.empty() && names.tokens.front().position.has_value(); }

std::size_t index_at(const TokenNames& names, std::size_t place) { return names.tokens[place].position.value_or(place); }

std::optional<TokenSpan> place_of_index(std::size_t index, const TokenNames& names) {
  for (std::size_t place = is_part(names) ? 0 : index; place < names.tokens.size(); ++place) {
    const std::size_t first = index_at(names, place);
    if (index >= first && index < first + (is_part(names) ? names.tokens[place].n_tokens : 1)) return TokenSpan{place, place + 1};
    if (!is_part(names)) break;
  }
  return std::nullopt;
}

[[noreturn]] void fail_not_shown(std::string_view reference, const TokenNames& names) {
  fail(names, reference, fmt::format("is not among the {} that are shown", names.tokens.size()));
}

TokenSpan find_index(std::string_view reference, std::string_view digits, const TokenNames& names) {
  const auto index = parse_number(digits);
  if (const auto place = index ? place_of_index(*index, names) : std::nullopt) return *place;
  if (is_part(names)) fail_not_shown(reference, names);
  fail(names, reference,
       fmt::format("is past the last token; the text has {}, numbered @0 to @{}", names.tokens.size(), names.tokens.size() - 1));
}

[[noreturn]] void fail_unknown(std::string_view reference, std::string_view spelling, const TokenNames& names,
                               const std::vector<TokenSpan>& words) {
  std::vector<std::string> listed;
  std::set<std::string_view> seen;
  std::vector<std::string> all;
  for (const TokenSpan& word : words) {
    const std::string_view text = word_text(names, word);
    if (!seen.insert(text).second) continue;
    all.emplace_back(text);
    if (listed.size() < kMostListed) listed.push_back(fmt::format("{} (@{})", visible_text(text), index_at(names, word.begin)));
  }
  const std::string more = all.size() > listed.size() ? fmt::format(", and {} more", all.size() - listed.size()) : "";
  const auto close = closest_name(spelling, all);
  fail(names, reference,
       fmt::format("is not in the text; {}expected a word (it), one of several (it#2) or a token's index (@9); the text has: {}{}",
                   close ? fmt::format("did you mean {}? ", visible_text(*close)) : "", fmt::join(listed, ", "), more));
}

[[noreturn]] void fail_repeated(std::string_view reference, const std::vector<TokenSpan>& places, const TokenNames& names) {
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
    listed.push_back(fmt::format("{}#{} (@{})", visible_text(reference), i + 1, index_at(names, places[i].begin)));
  }
  fail(names, reference,
       fmt::format("occurs {} times in the text; choose one: {}{}", places.size(), fmt::join(listed, ", "),
                   places.size() > listed.size() ? ", ..." : ""));
}

// Nothing where there is no such token: the text may be part of another reference.
std::optional<TokenSpan> look_up(std::string_view reference, const TokenNames& names, const std::vector<TokenSpan>& words) {
  if (reference.size() > 1 && reference.front() == '@') {
    const auto index = parse_number(reference.substr(1));
    if (index) return place_of_index(*index, names);
  }
  const std::vector<TokenSpan> places = places_of(reference, names, words);
  if (places.size() == 1) return places[0];
  const std::size_t hash = reference.rfind('#');
  if (!places.empty() || hash == std::string_view::npos || hash == 0) return std::nullopt;
  const auto number = parse_number(reference.substr(hash + 1));
  const std::vector<TokenSpan> numbered = places_of(reference.substr(0, hash), names, words);
  if (!number || *number == 0 || *number > numbered.size()) return std::nullopt;
  return numbered[*number - 1];
}

// Throws the error for a reference that look_up does not find.
[[noreturn]] void explain(std::string_view reference, const TokenNames& names, const std::vector<TokenSpan>& words) {
  if (reference.size() > 1 && reference.front() == '@' && parse_number(reference.substr(1))) {
    find_index(reference, reference.substr(1), names);
  }
  const std::vector<TokenSpan> places = places_of(reference, names, words);
  if (!places.empty()) fail_repeated(reference, places, names);
  const std::size_t hash = reference.rfind('#');
  if (hash == std::string_view::npos || hash == 0 || !parse_number(reference.substr(hash + 1))) {
    fail_unknown(reference, reference, names, words);
  }
  const std::string_view spelling = reference.substr(0, hash);
  const std::size_t n_place = places_of(spelling, names, words).size();
  if (n_place == 0) fail_unknown(reference, spelling, names, words);
  fail(names, reference,
       fmt::format("{} occurs {} time{} in the text; counting starts at 1", visible_text(spelling), n_place,
                   n_place == 1 ? "" : "s"));
}

TokenSpan find_in(std::string_view reference, const TokenNames& names, const std::vector<TokenSpan>& words) {
  if (const auto found = look_up(reference, names, words)) return *found;
  explain(reference, names, words);
}

TokenSpan joined(std::string_view reference, TokenSpan first, TokenSpan last, const TokenNames& names) {
  if (first.begin < last.end && first.begin <= last.begin) return {first.begin, last.end};
  fail(names, reference, fmt::format("runs backwards, from token @{} to @{}", first.begin, last.begin));
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

TokenSpan find_word(std::string_view reference, const TokenNames& names) { return find_in(reference, names, words_of(names)); }

std::optional<TokenSpan> try_find_word(std::string_view reference, const TokenNames& names) {
  return look_up(reference, names, words_of(names));
}

TokenSpan find_positions(TokenSpan positions, const TokenNames& part) {
  const auto first = place_of_index(positions.begin, part);
  const auto last = place_of_index(positions.end - 1, part);
  if (!first) fail_not_shown(fmt::format("@{}", positions.begin), part);
  if (!last) fail_not_shown(fmt::format("@{}", positions.end - 1), part);
  return {first->begin, last->end};
}

TokenSpan find_span(std::string_view reference, const TokenNames& names) {
  if (all_digits(reference)) return find_index(reference, reference, names);
  const std::vector<TokenSpan> words = words_of(names);
  const std::size_t first_dash = reference.find('-');
  if (first_dash != std::string_view::npos) {
    const std::string_view left = reference.substr(0, first_dash);
    const std::string_view right = reference.substr(first_dash + 1);
    if (all_digits(left) && all_digits(right)) {
      return joined(reference, find_index(reference, left, names), find_index(reference, right, names), names);
    }
  }
  if (const auto found = look_up(reference, names, words)) return *found;  // a word may hold a dash, or be one
  for (std::size_t dash = first_dash; dash != std::string_view::npos; dash = reference.find('-', dash + 1)) {
    const auto first = look_up(reference.substr(0, dash), names, words);
    const auto last = look_up(reference.substr(dash + 1), names, words);
    if (first && last) return joined(reference, *first, *last, names);
  }
  if (first_dash == std::string_view::npos || first_dash == 0 || first_dash + 1 == reference.size())
    explain(reference, names, words);
  // One of the two sides is at fault; looking it up throws the error that names it.
  const TokenSpan first = find_in(reference.substr(0, first_dash), names, words);
  return joined(reference, first, find_in(reference.substr(first_dash + 1), names, words), names);
}

}  // namespace attnviz
