// See links.h.
#include "figure/links.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace attnviz {
namespace {

bool is_content(const std::vector<Token>& tokens, std::size_t position) { return tokens[position].kind != TokenKind::kSpecial; }

bool stronger(const Link& a, const Link& b) { return a.weight > b.weight; }

// Tokens of the text that entry `place` of a list stands for.
TokenSpan tokens_of(const std::vector<Token>& tokens, std::size_t place) {
  const Token& token = tokens[place];
  if (!token.position) return {place, place + 1};  // a list of all tokens
  return {*token.position, *token.position + token.n_tokens};
}

}  // namespace

bool is_self_link(const Trace& trace, const AttentionMap& map, std::size_t query_pos, std::size_t key_pos) {
  if (map.kind != MapKind::kSelf) return false;
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
  std::optional<Link> best;
  for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
    if (!is_content(trace.queries, query_pos)) continue;
    for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
      if (is_self_link(trace, map, query_pos, key_pos) || !is_content(trace.keys, key_pos)) continue;
      const float weight = map.at(query_pos, key_pos);
      if (weight > (best ? best->weight : 0.0f)) best = Link{map.layer, map.head, query_pos, key_pos, weight};
    }
  }
  return best;
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
