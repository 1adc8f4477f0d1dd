// See truncate.h. The arithmetic of a pair is that of the reference's "longest_first".
#include "text/truncate.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace attnviz {
namespace {

// Tokens of the template stand for no text; those typed by the user do.
bool is_from_template(const Token& token) { return token.kind == TokenKind::kSpecial && token.begin == token.end; }

// How many content tokens of each segment stay, when `budget` may.
std::array<std::size_t, 2> shares(std::array<std::size_t, 2> n_content, std::size_t budget) {
  auto [shorter, longer] = std::minmax(n_content[0], n_content[1]);
  std::size_t n_shorter = shorter;
  std::size_t n_longer = n_shorter > budget ? n_shorter : std::max(n_shorter, budget - n_shorter);
  if (n_shorter + n_longer > budget) {
    n_shorter = budget / 2;
    n_longer = n_shorter + budget % 2;
  }
  return n_content[0] > n_content[1] ? std::array{n_longer, n_shorter} : std::array{n_shorter, n_longer};
}

}  // namespace

std::vector<Token> truncate_tokens(std::vector<Token> tokens, std::size_t limit) {
  if (tokens.size() <= limit) return tokens;
  std::array<std::size_t, 2> n_content{};
  std::size_t n_template = 0;
  for (const Token& token : tokens) {
    if (is_from_template(token)) {
      ++n_template;
    } else {
      ++n_content.at(static_cast<std::size_t>(token.segment));
    }
  }
  if (n_template > limit) {
    throw Error(ErrorKind::kInput, fmt::format("text: cannot be cut to {} tokens; the model's own special tokens are {} already; "
                                               "allow more tokens",
                                               limit, n_template));
  }
  const std::size_t budget = limit - n_template;
  std::array<std::size_t, 2> left = n_content[1] == 0 ? std::array<std::size_t, 2>{budget, 0} : shares(n_content, budget);
  std::vector<Token> kept;
  kept.reserve(limit);
  for (Token& token : tokens) {
    if (!is_from_template(token)) {
      std::size_t& remaining = left[static_cast<std::size_t>(token.segment)];
      if (remaining == 0) continue;
      --remaining;
    }
    kept.push_back(std::move(token));
  }
  return kept;
}

}  // namespace attnviz
