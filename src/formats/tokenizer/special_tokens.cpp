// See special_tokens.h.
#include "formats/tokenizer/special_tokens.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"

namespace attnviz {

AddedTokenSpec read_role(const JsonPlace& config, const JsonPlace& map, std::string_view role, const AddedTokenSpec& usual,
                         RoleOrder order) {
  const bool in_config = config.has(role) && (order == RoleOrder::kConfigFirst || !map.has(role));
  const JsonPlace place = in_config ? config.at(role) : map.at(role);
  return place.is_null() ? usual : read_settings_token(place, usual);
}

FolderTokens::FolderTokens(const std::filesystem::path& folder)
    : config_(folder, "tokenizer_config.json"),
      map_(folder, "special_tokens_map.json"),
      added_(folder, "added_tokens.json"),
      added_members_(added_.root().members()) {}

void FolderTokens::set_vocab(const std::vector<std::string>& vocab, std::string where) {
  where_ = std::move(where);
  n_vocab_ = vocab.size();
  ids_.reserve(vocab.size());
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    if (!vocab[id].empty()) ids_.emplace(vocab[id], static_cast<std::int32_t>(id));
  }
  for (const auto& [name, id] : added_members_) ids_.emplace(name, id.id());
}

void FolderTokens::add_listed() {
  listed_ = read_decoder_tokens(config_.root());
  for (const AddedTokenSpec& token : listed_) {
    ids_.emplace(token.content, token.id);
    add(token);
  }
}

AddedTokenSpec FolderTokens::add_role(std::string_view role, AddedTokenSpec usual, RoleOrder order) {
  usual.special = true;
  AddedTokenSpec token = read_role(config_.root(), map_.root(), role, usual, order);
  token.id = id_of(token.content);
  if (token.id >= 0) add(token);
  return token;
}

void FolderTokens::add_others() {
  for (const SettingsFile* file : {&map_, &config_}) {
    for (AddedTokenSpec& token : read_extra_special_tokens(file->root())) {
      token.id = id_of(token.content);
      if (token.id >= 0) add(std::move(token));
    }
  }
  for (const auto& [name, id] : added_members_) add({.id = id.id(), .content = name, .normalized = true});
}

TemplatePiece FolderTokens::piece(const AddedTokenSpec& token, std::string_view role, std::int32_t segment) const {
  if (token.id < 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the {} {} is not in the vocabulary of {} entries; check that the tokenizer files belong together",
                            where_, role, quote_text(token.content), n_vocab_));
  }
  return {TemplatePiece::What::kSpecial, token.content, token.id, segment};
}

std::vector<AddedTokenSpec> FolderTokens::take() {
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return std::move(tokens_);
}

void FolderTokens::add(AddedTokenSpec token) {
  const auto same = [&](const AddedTokenSpec& other) { return other.content == token.content; };
  if (std::none_of(tokens_.begin(), tokens_.end(), same)) tokens_.push_back(std::move(token));
}

std::int32_t FolderTokens::id_of(std::string_view content) const {
  const auto found = ids_.find(content);
  return found == ids_.end() ? -1 : found->second;
}

}  // namespace attnviz
