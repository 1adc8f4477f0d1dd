// A tokenizer small enough to read, for the tests of this folder.
#pragma once

#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <string>
#include <vector>

namespace attnviz {

inline TokenizerSpec small_spec() {
  using What = TemplatePiece::What;
  TokenizerSpec spec;
  spec.where = "small";
  WordPieceSpec model;
  model.vocab = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "didn", "'", "t",   "un", "##able", "##a", "resume",
                 "e",     ".",     "東",    "京",    "Re",     "a",   "b",    "x", "ing", "[",  "]",      "mask"};
  spec.normalizers = {BertNormalizerSpec{}};
  spec.pre_tokenizers = {BertPreTokenizerSpec{}};
  for (std::int32_t id = 0; id < 5; ++id) {
    spec.added_tokens.push_back({.id = id, .content = model.vocab[static_cast<std::size_t>(id)], .special = true});
  }
  spec.model = std::move(model);
  const TemplatePiece cls{What::kSpecial, "[CLS]", 2, 0};
  const TemplatePiece sep{What::kSpecial, "[SEP]", 3, 0};
  const TemplatePiece last_sep{What::kSpecial, "[SEP]", 3, 1};
  spec.single = {cls, {What::kFirst, "", 0, 0}, sep};
  spec.pair = {cls, {What::kFirst, "", 0, 0}, sep, {What::kSecond, "", 0, 1}, last_sep};
  return spec;
}

inline std::vector<std::string> texts_of(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

inline std::vector<std::int32_t> ids_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

inline std::vector<std::int32_t> words_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> words;
  for (const Token& token : tokens) words.push_back(token.word);
  return words;
}

}  // namespace attnviz
