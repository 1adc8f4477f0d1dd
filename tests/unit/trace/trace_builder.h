// Small traces for tests: words with explicit kinds, and maps from explicit numbers.
#pragma once

#include <attnviz/trace.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace attnviz {

// A token of segment 0; begin/end are set by hand where a test needs them.
inline Token make_token(std::string text, TokenKind kind, std::int32_t word, std::size_t begin = 0, std::size_t end = 0) {
  return Token{7, std::move(text), begin, end, kind, word, 0};
}

inline AttentionMap make_map(std::size_t layer, std::size_t head, std::vector<std::vector<float>> rows) {
  AttentionMap map{Site::kSelf, layer, head, rows.size(), rows.empty() ? 0 : rows[0].size(), {}};
  for (const auto& row : rows) map.pattern.insert(map.pattern.end(), row.begin(), row.end());
  return map;
}

inline std::vector<std::string> token_texts(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

// A command line of single words after the program's name.
inline CommandLine command_of(const std::vector<std::string>& words) {
  CommandLine line;
  for (const std::string& word : words) line.parts.push_back({.words = {word}});
  return line;
}

// "[CLS] un ##happy cat [SEP]" with one map whose rows sum to 1.
inline Trace small_trace() {
  Trace trace;
  trace.model = {"minilm-l6", "bert", 6, 12};
  trace.texts = {"unhappy cat"};
  trace.queries = {make_token("[CLS]", TokenKind::kSpecial, -1), make_token("un", TokenKind::kWord, 0, 0, 2),
                   make_token("happy", TokenKind::kContinuation, 0, 2, 7), make_token("cat", TokenKind::kWord, 1, 8, 11),
                   make_token("[SEP]", TokenKind::kSpecial, -1, 11, 11)};
  trace.keys = trace.queries;
  trace.maps = {make_map(3, 1,
                         {{0.5f, 0.125f, 0.125f, 0.125f, 0.125f},
                          {0.25f, 0.25f, 0.25f, 0.125f, 0.125f},
                          {0.0f, 0.0f, 0.25f, 0.75f, 0.0f},
                          {0.0f, 0.5f, 0.125f, 0.25f, 0.125f},
                          {0.0f, 0.0f, 0.0f, 0.0f, 1.0f}})};
  trace.provenance.made_by = command_of({"unhappy cat", "--layer", "3", "--head", "1"});
  return trace;
}

}  // namespace attnviz
