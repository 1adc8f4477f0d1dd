// See tokenizer_numbering.h.
#include "formats/tokenizer_numbering.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace attnviz {

void check_added_tokens(TokenizerSpec* spec) {
  const auto& vocab = spec->word_piece.vocab;
  std::erase_if(spec->added_tokens, [](const AddedTokenSpec& token) { return token.content.empty(); });
  const auto in_vocab = [&](const AddedTokenSpec& token) {
    return token.id >= 0 && static_cast<std::size_t>(token.id) < vocab.size();
  };
  std::unordered_set<std::string_view> known;
  if (!std::all_of(spec->added_tokens.begin(), spec->added_tokens.end(), in_vocab)) known.insert(vocab.begin(), vocab.end());
  const auto fail = [&](const AddedTokenSpec& token, const std::string& what) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the added token \"{}\" has the id {}, {}; check that the tokenizer files belong "
                            "together",
                            spec->where, token.content, token.id, what));
  };
  std::unordered_set<std::string_view> seen;
  std::size_t next = vocab.size();
  for (const AddedTokenSpec& token : spec->added_tokens) {
    if (!seen.insert(token.content).second) fail(token, "and is listed twice");
    if (in_vocab(token)) {
      const std::string& there = vocab[static_cast<std::size_t>(token.id)];
      if (there != token.content) fail(token, fmt::format("which is \"{}\" in the vocabulary", there));
    } else if (known.contains(token.content)) {
      fail(token, "but the vocabulary holds it under another");
    } else if (static_cast<std::size_t>(token.id) != next++) {
      fail(token, fmt::format("expected {}, the next one after the vocabulary", next - 1));
    }
  }
}

}  // namespace attnviz
