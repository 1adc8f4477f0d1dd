// The small JSON files beside a vocabulary, and their descriptions of single tokens. Tested in
// tests/unit/formats/tokenizer/tokenizer_files_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/tokenizer/tokenizer_json_tree.h"

namespace attnviz {

constexpr std::size_t kMaxTokenizerFileSize = std::size_t{128} << 20;

// One optional JSON file of settings; an empty object if it does not exist.
class SettingsFile {
 public:
  SettingsFile(const std::filesystem::path& folder, const char* name);
  SettingsFile(const SettingsFile&) = delete;
  SettingsFile& operator=(const SettingsFile&) = delete;

  JsonPlace root() const { return {root_, where_}; }

 private:
  std::string where_;
  JsonNode root_;
};

// "tokenizer_class", without "Fast" at its end; empty if the file names none.
std::string tokenizer_class(const SettingsFile& config);

// A token, given as a text or as an object {"content": ..., "lstrip": ...}. Flags that an object leaves out are those of `token`; a
// token is normalized unless it is special.
AddedTokenSpec read_settings_token(const JsonPlace& value, AddedTokenSpec token);

// "added_tokens_decoder": {"103": {"content": "[MASK]", ...}} of tokenizer_config.json, by id; none if the file has no such key.
std::vector<AddedTokenSpec> read_decoder_tokens(const JsonPlace& root);

// "additional_special_tokens": ["<a>", {"content": "<b>", ...}], without their ids; none if the file has no such key.
std::vector<AddedTokenSpec> read_extra_special_tokens(const JsonPlace& root);

// vocab.json with merges.txt: byte-level BPE of a class that tokenizer_config.json or config.json names. Throws Error(kModel).
TokenizerSpec read_bpe_folder(const std::filesystem::path& folder);

}  // namespace attnviz
