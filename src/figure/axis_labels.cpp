// See axis_labels.h.
#include "figure/axis_labels.h"

#include "trace/label.h"

#include <fmt/format.h>

#include <string_view>

namespace attnviz {
namespace {

constexpr std::size_t kMostPlainLabels = 64;

bool lies_in(const Token& token, const std::vector<std::string>& texts) {
  const auto segment = static_cast<std::size_t>(token.segment);
  return segment < texts.size() && token.begin < token.end && token.end <= texts[segment].size();
}

// The text's own bytes where the token has a place in it, without the space that some vocabularies keep with a word.
std::string text_in_sentence(const Token& token, const std::vector<std::string>& texts) {
  if (token.kind == TokenKind::kSpecial || token.kind == TokenKind::kBytes || !lies_in(token, texts)) {
    return visible_text(token.text);
  }
  const std::string_view text = texts[static_cast<std::size_t>(token.segment)];
  std::string in_text;
  std::string_view rest = text.substr(token.begin, token.end - token.begin);
  while (!rest.empty()) {  // a merged word may hold spaces, which stay spaces
    const std::size_t space = rest.find(' ');
    in_text += visible_text(rest.substr(0, space));
    if (space == std::string_view::npos) break;
    in_text += ' ';
    rest.remove_prefix(space + 1);
  }
  return in_text;
}

// There is nothing between the pieces of a word, nor between two characters of a script without spaces.
std::string gap_before(const std::vector<Token>& tokens, std::size_t i, const std::vector<std::string>& texts) {
  if (i == 0) return "";
  const Token& before = tokens[i - 1];
  const Token& token = tokens[i];
  if (token.position && before.position && *token.position != *before.position + before.n_tokens) return " … ";
  if (token.segment != before.segment) return "\n";
  const auto segment = static_cast<std::size_t>(token.segment);
  if (before.kind == TokenKind::kSpecial || token.kind == TokenKind::kSpecial) return " ";
  const bool goes_on = token.kind == TokenKind::kContinuation || token.kind == TokenKind::kBytes;
  if (!lies_in(before, texts) || !lies_in(token, texts))
    return goes_on ? "" : " ";                                                     // words of a list, which have no place in a text
  if (before.end > token.begin || token.begin > texts[segment].size()) return "";  // bytes of a character share its place
  const std::string_view between = std::string_view(texts[segment]).substr(before.end, token.begin - before.end);
  if (between.find('\n') != std::string_view::npos) return "\n";
  return between.empty() ? "" : " ";
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
                      .gap = gap_before(tokens, i, texts),
                      .in_text = text_in_sentence(token, texts)});
  }
  return labels;
}

}  // namespace attnviz
