// See tokenizer_settings.h.
#include "formats/tokenizer/tokenizer_settings.h"

#include <attnviz/error.h>

#include <algorithm>
#include <utility>

#include "base/file.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxConfigSize = std::size_t{16} << 20;

}  // namespace

SettingsFile::SettingsFile(const std::filesystem::path& folder, const char* name) : where_((folder / name).string()) {
  root_.kind = JsonNode::Kind::kObject;
  if (!std::filesystem::exists(folder / name)) return;
  root_ = parse_json_document(read_text_file(where_, kMaxConfigSize, ErrorKind::kModel), where_).root;
}

std::string tokenizer_class(const SettingsFile& config) {
  std::string name = config.root().at("tokenizer_class").text_or("");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

AddedTokenSpec read_settings_token(const JsonPlace& value, AddedTokenSpec token) {
  if (value.is_text()) {
    token.content = value.text();
    return token;
  }
  token.content = value.at("content").text();
  token.single_word = value.at("single_word").flag_or(false);
  token.lstrip = value.at("lstrip").flag_or(false);
  token.rstrip = value.at("rstrip").flag_or(false);
  token.special = value.at("special").flag_or(token.special);
  token.normalized = value.at("normalized").flag_or(!token.special);
  return token;
}

std::vector<AddedTokenSpec> read_decoder_tokens(const JsonPlace& root) {
  std::vector<AddedTokenSpec> tokens;
  if (!root.has("added_tokens_decoder")) return tokens;
  for (const auto& [key, value] : root.at("added_tokens_decoder").members()) {
    AddedTokenSpec token = read_settings_token(value, {});
    const bool digits = !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) value.fail("expected an id as the key");
    token.id = std::stoi(key);
    tokens.push_back(std::move(token));
  }
  std::stable_sort(tokens.begin(), tokens.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return tokens;
}

std::vector<AddedTokenSpec> read_extra_special_tokens(const JsonPlace& root) {
  std::vector<AddedTokenSpec> tokens;
  if (!root.has("additional_special_tokens")) return tokens;
  for (const JsonPlace& place : root.at("additional_special_tokens").items()) {
    tokens.push_back(read_settings_token(place, {.content = "", .special = true}));
  }
  return tokens;
}

}  // namespace attnviz
