// See words.h. Queries and keys are grouped separately, so the same code works for maps that are not square.
#include "trace/words.h"

#include <algorithm>
#include <span>

#include "trace/derived.h"

namespace attnviz {
namespace {

// The word as the user wrote it, or the joined texts of its pieces if their offsets are not inside the text.
std::string word_text(const std::vector<std::string>& texts, std::span<const Token> pieces) {
  const auto segment = static_cast<std::size_t>(pieces.front().segment);
  const std::size_t begin = pieces.front().begin;
  const std::size_t end = pieces.back().end;
  if (segment < texts.size() && begin < end && end <= texts[segment].size()) return texts[segment].substr(begin, end - begin);
  std::string joined;
  for (const Token& piece : pieces) joined += piece.text;
  return joined;
}

std::vector<Token> merged_tokens(const Trace& trace, const std::vector<Token>& tokens, const std::vector<TokenSpan>& groups) {
  std::vector<Token> merged;
  for (const TokenSpan& group : groups) {
    Token word = tokens[group.begin];
    if (group.size() > 1) {
      word.text = word_text(trace.texts, std::span(tokens).subspan(group.begin, group.size()));
      word.end = tokens[group.end - 1].end;
      word.n_tokens = group.size();
      word.kind = TokenKind::kWord;
    } else if (word.kind == TokenKind::kContinuation) {
      word.kind = TokenKind::kWord;
    }
    merged.push_back(std::move(word));
  }
  return merged;
}

// Adds one row's columns, summed by group, to sums [n groups]. Returns whether the row has any weight.
bool add_row(const AttentionMap& map, std::size_t query_pos, const std::vector<TokenSpan>& key_groups, std::vector<double>* sums) {
  bool any = false;
  for (std::size_t column = 0; column < key_groups.size(); ++column) {
    for (std::size_t key_pos = key_groups[column].begin; key_pos < key_groups[column].end; ++key_pos) {
      const float weight = map.at(query_pos, key_pos);
      (*sums)[column] += weight;
      any = any || weight != 0;
    }
  }
  return any;
}

AttentionMap merged_map(const AttentionMap& map, const std::vector<TokenSpan>& query_groups,
                        const std::vector<TokenSpan>& key_groups) {
  AttentionMap merged{map.site, map.layer, map.head, query_groups.size(), key_groups.size(), {}};
  merged.pattern.reserve(query_groups.size() * key_groups.size());
  std::vector<double> sums(key_groups.size());
  for (const TokenSpan& group : query_groups) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::size_t n_rows = 0;  // a row with nothing to attend to takes no part in the average, or the sum would fall below 1
    for (std::size_t query_pos = group.begin; query_pos < group.end; ++query_pos) {
      n_rows += add_row(map, query_pos, key_groups, &sums) ? 1 : 0;
    }
    const double divisor = static_cast<double>(std::max<std::size_t>(n_rows, 1));
    for (const double sum : sums) merged.pattern.push_back(static_cast<float>(sum / divisor));
  }
  return merged;
}

}  // namespace

std::vector<TokenSpan> word_groups(const std::vector<Token>& tokens) {
  std::vector<TokenSpan> groups;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool same_word =
        i > 0 && tokens[i].word >= 0 && tokens[i].word == tokens[i - 1].word && tokens[i].segment == tokens[i - 1].segment;
    if (same_word) {
      groups.back().end = i + 1;
    } else {
      groups.push_back({i, i + 1});
    }
  }
  return groups;
}

Trace merge_words(const Trace& trace) {
  const std::vector<TokenSpan> query_groups = word_groups(trace.queries);
  const std::vector<TokenSpan> key_groups = word_groups(trace.keys);
  Trace merged = without_maps(trace);
  merged.queries = merged_tokens(trace, trace.queries, query_groups);
  merged.keys = merged_tokens(trace, trace.keys, key_groups);
  for (const AttentionMap& map : trace.maps) merged.maps.push_back(merged_map(map, query_groups, key_groups));
  merged.words_merged = true;
  merged.notes.emplace_back(kWordsMergedNote);
  return merged;
}

}  // namespace attnviz
