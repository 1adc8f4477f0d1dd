// See axis_labels.h.
#include "figure/axis_labels.h"

#include <string_view>

#include <fmt/format.h>

#include "trace/label.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostPlainLabels = 64;

// The text's own bytes where the token has a place in it, without the space that some vocabularies keep with a word.
std::string text_in_sentence(const Token& token, const std::vector<std::string>& texts) {
  const std::string_view text = text_at(token, texts);
  const bool as_written = token.kind != TokenKind::kSpecial && token.kind != TokenKind::kBytes && !text.empty();
  return as_written ? visible_prose(text) : visible_text(token.text);
}

// A sentence in a picture has single spaces and line breaks only.
std::string drawn_gap(const std::vector<Token>& tokens, std::size_t i, const std::vector<std::string>& texts) {
  const std::string gap = gap_before(tokens, i, texts);
  if (gap.empty() || gap == " … ") return gap;
  return gap.find('\n') != std::string::npos ? "\n" : " ";
}

}  // namespace

std::vector<AxisLabel> token_labels(const std::vector<Token>& tokens, const std::vector<std::string>& texts, std::size_t side) {
  std::vector<AxisLabel> labels;
  labels.reserve(tokens.size());
  const bool by_position = side > 1 || tokens.size() > kMostPlainLabels;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    std::string label = token_label(token);
    if (by_position && token.position) label = fmt::format("@{} {}", *token.position, label);
    labels.push_back({.text = std::move(label),
                      .special = token.kind == TokenKind::kSpecial,
                      .generated = token.generated,
                      .gap = drawn_gap(tokens, i, texts),
                      .in_text = text_in_sentence(token, texts)});
  }
  return labels;
}

}  // namespace attnviz
