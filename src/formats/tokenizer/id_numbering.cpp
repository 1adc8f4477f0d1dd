// See id_numbering.h.
#include "formats/tokenizer/id_numbering.h"

#include <attnviz/error.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace attnviz {

namespace {

// Spellings by id.
std::vector<std::string_view> vocabulary_of(const PieceModelSpec& model) {
  std::vector<std::string_view> vocab;
  if (const auto* word_piece = std::get_if<WordPieceSpec>(&model)) vocab.assign(word_piece->vocab.begin(), word_piece->vocab.end());
  if (const auto* bpe = std::get_if<BpeSpec>(&model)) vocab.assign(bpe->vocab.begin(), bpe->vocab.end());
  if (const auto* unigram = std::get_if<UnigramSpec>(&model)) {
    for (const UnigramPiece& piece : unigram->pieces) vocab.push_back(piece.text);
  }
  if (const auto* spm = std::get_if<SpmSpec>(&model)) {
    for (const SpmPiece& piece : spm->pieces) vocab.push_back(piece.text);
  }
  return vocab;
}

}  // namespace

void check_added_tokens(TokenizerSpec* spec) {
  const std::vector<std::string_view> vocab = vocabulary_of(spec->model);
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
      const std::string_view there = vocab[static_cast<std::size_t>(token.id)];
      if (there != token.content) fail(token, fmt::format("which is \"{}\" in the vocabulary", there));
    } else if (known.contains(token.content)) {
      fail(token, "but the vocabulary holds it under another");
    } else if (static_cast<std::size_t>(token.id) != next++) {
      fail(token, fmt::format("expected {}, the next one after the vocabulary", next - 1));
    }
  }
}

}  // namespace attnviz
