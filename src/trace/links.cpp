// See links.h.
#include "trace/links.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace attnviz {
namespace {

bool is_content(const std::vector<Token>& tokens, std::size_t position) { return tokens[position].kind != TokenKind::kSpecial; }

// Signed values count by magnitude.
bool stronger(const Link& a, const Link& b) { return std::abs(a.weight) > std::abs(b.weight); }

// Tokens of the text that entry `place` of a list stands for.
TokenSpan tokens_of(const std::vector<Token>& tokens, std::size_t place) {
  const Token& token = tokens[place];
  if (!token.position) return {place, place + 1};  // a list of all tokens
  return {*token.position, *token.position + token.n_tokens};
}

// Whether both are pieces of one word, or of two that stand side by side. Where nothing is known of words, tokens are words.
bool are_neighbours(const Trace& trace, const AttentionMap& map, std::size_t query_pos, std::size_t key_pos) {
  if (map.site == Site::kCross) return false;
  const std::int32_t query_word = trace.queries[query_pos].word;
  const std::int32_t key_word = trace.keys[key_pos].word;
  if (query_word >= 0 && key_word >= 0) return std::abs(query_word - key_word) <= 1;
  const TokenSpan query = tokens_of(trace.queries, query_pos);
  const TokenSpan key = tokens_of(trace.keys, key_pos);
  return query.begin <= key.end && key.begin <= query.end;
}

// Among the links between contents that `counts` takes.
template <typename Counts>
std::optional<Link> strongest_link(const Trace& trace, const AttentionMap& map, Counts counts) {
  std::optional<Link> best;
  for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
    if (!is_content(trace.queries, query_pos)) continue;
    for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
      const float weight = map.at(query_pos, key_pos);
      if (!(std::abs(weight) > (best ? std::abs(best->weight) : 0.0f)) || !is_content(trace.keys, key_pos) ||
          !counts(query_pos, key_pos))
        continue;
      best = Link{map.layer, map.head, query_pos, key_pos, weight};
    }
  }
  return best;
}

}  // namespace

bool is_self_link(const Trace& trace, const AttentionMap& map, std::size_t query_pos, std::size_t key_pos) {
  if (map.site == Site::kCross) return false;
  const TokenSpan query = tokens_of(trace.queries, query_pos);
  const TokenSpan key = tokens_of(trace.keys, key_pos);
  return query.begin < key.end && key.begin < query.end;
}

std::vector<Link> strongest_of_row(const AttentionMap& map, std::size_t query_pos, std::size_t n) {
  std::vector<Link> links;
  links.reserve(map.n_key);
  for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
    const float weight = map.at(query_pos, key_pos);
    links.push_back({map.layer, map.head, query_pos, key_pos, std::isnan(weight) ? 0 : weight});
  }
  std::stable_sort(links.begin(), links.end(), stronger);
  links.resize(std::min(n, links.size()));
  return links;
}

std::optional<Link> strongest_content_link(const Trace& trace, const AttentionMap& map) {
  return strongest_link(trace, map,
                        [&](std::size_t query_pos, std::size_t key_pos) { return !is_self_link(trace, map, query_pos, key_pos); });
}

std::optional<Link> strongest_telling_link(const Trace& trace, const AttentionMap& map) {
  const auto link = strongest_link(trace, map, [&](std::size_t query_pos, std::size_t key_pos) {
    return !is_self_link(trace, map, query_pos, key_pos) && !are_neighbours(trace, map, query_pos, key_pos);
  });
  return link ? link : strongest_content_link(trace, map);
}

std::vector<Link> strongest_content_links(const Trace& trace, std::size_t n) {
  std::vector<Link> links;
  for (const AttentionMap& map : trace.maps) {
    if (const auto link = strongest_content_link(trace, map)) links.push_back(*link);
  }
  std::stable_sort(links.begin(), links.end(), stronger);
  links.resize(std::min(n, links.size()));
  return links;
}

}  // namespace attnviz
