// The special and added tokens of a tokenizer that was not saved as tokenizer.json: which token has a role, and which id it has.
// The facts are spread over tokenizer_config.json, special_tokens_map.json and added_tokens.json. Tested in
// tests/unit/formats/tokenizer/tokenizer_files_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/tokenizer/tokenizer_settings.h"

namespace attnviz {

// Two files can name the token of a role; this is the order in which they are asked.
enum class RoleOrder { kConfigFirst, kMapFirst };

// The token of a role ("cls_token"), given as a text or as an object with flags; `usual` if neither file names it. Its id is not
// set.
AddedTokenSpec read_role(const JsonPlace& config, const JsonPlace& map, std::string_view role, const AddedTokenSpec& usual,
                         RoleOrder order = RoleOrder::kConfigFirst);

// The tokens of a folder whose vocabulary gives every token an id. Of several tokens with one text the first counts.
class FolderTokens {
 public:
  explicit FolderTokens(const std::filesystem::path& folder);

  const SettingsFile& config() const { return config_; }
  JsonPlace setting(std::string_view key) const { return config_.root().at(key); }

  // The entries of the vocabulary by id, "" for none; they must outlive this. `where` names their file in messages.
  void set_vocab(const std::vector<std::string>& vocab, std::string where);

  // "added_tokens_decoder" of tokenizer_config.json.
  void add_listed();

  // The token of a role. One that has no id cannot be typed, so it is not added; piece() refuses it.
  AddedTokenSpec add_role(std::string_view role, AddedTokenSpec usual, RoleOrder order = RoleOrder::kConfigFirst);

  // "additional_special_tokens", and the tokens of added_tokens.json.
  void add_others();

  // A part of the template around a text. Throws Error(kModel) for a token without an id.
  TemplatePiece piece(const AddedTokenSpec& token, std::string_view role, std::int32_t segment) const;

  // All tokens that were added, by id.
  std::vector<AddedTokenSpec> take();

 private:
  void add(AddedTokenSpec token);
  std::int32_t id_of(std::string_view content) const;  // -1: none

  SettingsFile config_;
  SettingsFile map_;
  SettingsFile added_;
  std::vector<std::pair<std::string, JsonPlace>> added_members_;  // of added_tokens.json
  std::vector<AddedTokenSpec> listed_;                            // of added_tokens_decoder
  std::unordered_map<std::string_view, std::int32_t> ids_;        // of the vocabulary and of both lists
  std::size_t n_vocab_ = 0;
  std::string where_;
  std::vector<AddedTokenSpec> tokens_;
};

}  // namespace attnviz
