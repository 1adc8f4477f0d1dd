// vocab.json with merges.txt, as slow byte-level tokenizers were saved before tokenizer.json: the vocabulary and merges of GPT-2,
// and around them what each class of the ecosystem builds in code. A class that is not known here is refused by name.
#include <attnviz/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/tokenizer_json_tree.h"
#include "formats/tokenizer/tokenizer_settings.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using What = TemplatePiece::What;

enum class BpeClass { kGpt2, kRoberta, kQwen2 };

struct ClassName {
  std::string_view tokenizer_class;
  std::string_view model_type;  // of config.json, where the tokenizer's own settings do not name a class
  BpeClass value;
};

constexpr std::array<ClassName, 6> kClasses = {{
    {"GPT2Tokenizer", "gpt2", BpeClass::kGpt2},
    {"GPT2Tokenizer", "opt", BpeClass::kGpt2},
    {"RobertaTokenizer", "roberta", BpeClass::kRoberta},
    {"BartTokenizer", "bart", BpeClass::kRoberta},
    {"LongformerTokenizer", "longformer", BpeClass::kRoberta},
    {"Qwen2Tokenizer", "qwen2", BpeClass::kQwen2},
}};

constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::vector<BpeMerge> read_merges(const std::string& where) {
  const std::string text = read_text_file(where, kMaxTokenizerFileSize, ErrorKind::kModel);
  std::vector<BpeMerge> merges;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos || find_invalid_utf8(line)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: line {}: expected two texts with one space between, found {}; get the file again", where, number,
                              quote_text(line)));
    }
    merges.push_back(make_merge(line.substr(0, space), line.substr(space + 1)));
  }
  return merges;
}

class BpeFolder {
 public:
  explicit BpeFolder(const fs::path& folder)
      : folder_(folder),
        config_(folder, "tokenizer_config.json"),
        special_map_(folder, "special_tokens_map.json"),
        added_(folder, "added_tokens.json"),
        class_(find_class()) {}

  TokenizerSpec read() {
    spec_.where = (folder_ / "vocab.json").string();
    read_model();
    add_decoder_tokens();
    const bool roberta = class_ == BpeClass::kRoberta;
    const std::string_view end_of_text = "<|endoftext|>";
    add_role("unk_token", roberta ? "<unk>" : end_of_text);
    const AddedTokenSpec bos = add_role("bos_token", roberta ? "<s>" : end_of_text);
    add_role("eos_token", roberta ? "</s>" : end_of_text);
    const AddedTokenSpec sep = add_role("sep_token", roberta ? "</s>" : "");
    const AddedTokenSpec cls = add_role("cls_token", roberta ? "<s>" : "");
    add_role("pad_token", roberta ? "<pad>" : "");
    add_role("mask_token", roberta ? "<mask>" : "");
    add_extra_tokens();
    std::stable_sort(spec_.added_tokens.begin(), spec_.added_tokens.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    check_added_tokens(&spec_);
    set_stages();
    set_template(bos, cls, sep);
    return std::move(spec_);
  }

 private:
  BpeClass find_class() const {
    const std::string name = tokenizer_class(config_);
    const SettingsFile model(folder_, "config.json");
    const std::string type = name.empty() ? model.root().at("model_type").text_or("") : "";
    for (const ClassName& known : kClasses) {
      if (name.empty() ? known.model_type == type : known.tokenizer_class == name) return known.value;
    }
    if (name.empty()) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: does not say which tokenizer its vocab.json is for; expected \"tokenizer_class\" in "
                              "tokenizer_config.json, such as \"GPT2Tokenizer\"; add it, or save a tokenizer.json",
                              folder_.string()));
    }
    config_.root()
        .at("tokenizer_class")
        .fail(fmt::format(
            "the kind {} is not supported with a vocab.json; expected GPT2Tokenizer, RobertaTokenizer or Qwen2Tokenizer; save a "
            "tokenizer.json",
            quote_text(name)));
  }

  void read_model() {
    // The reader of tokenizer.json takes a vocabulary as a member of "model".
    const std::string text =
        "{\"model\":{\"vocab\":" + read_text_file(spec_.where, kMaxTokenizerFileSize, ErrorKind::kModel) + "}}";
    JsonDocument document = parse_json_document(text, spec_.where);
    if (document.vocab.empty()) {
      throw Error(ErrorKind::kModel, fmt::format("{}: expected an object of ids, found none; get the file again", spec_.where));
    }
    BpeSpec model;
    model.vocab = std::move(document.vocab);
    model.merges = read_merges((folder_ / "merges.txt").string());
    spec_.model = std::move(model);
    const auto& vocab = std::get<BpeSpec>(spec_.model).vocab;
    for (std::size_t id = 0; id < vocab.size(); ++id) {
      if (!vocab[id].empty()) ids_.emplace(vocab[id], static_cast<std::int32_t>(id));
    }
    for (const auto& [name, id] : added_.root().members()) ids_.emplace(name, id.id());
  }

  void add(AddedTokenSpec token) {
    const auto same = [&](const AddedTokenSpec& other) { return other.content == token.content; };
    if (std::none_of(spec_.added_tokens.begin(), spec_.added_tokens.end(), same)) spec_.added_tokens.push_back(std::move(token));
  }

  void add_decoder_tokens() {
    for (AddedTokenSpec& token : read_decoder_tokens(config_.root())) {
      ids_.emplace(token.content, token.id);
      add(std::move(token));
    }
  }

  // A token by its role; one that the vocabulary does not hold has the id -1.
  AddedTokenSpec add_role(std::string_view role, std::string_view fallback) {
    AddedTokenSpec token{.content = std::string(fallback), .special = true};
    token.lstrip = role == "mask_token";
    const JsonPlace in_map = special_map_.root().at(role);
    const JsonPlace place = config_.root().has(role) ? config_.root().at(role) : in_map;
    if (!place.is_null()) token = read_settings_token(place, std::move(token));
    const auto found = ids_.find(token.content);
    token.id = found == ids_.end() ? -1 : found->second;
    if (token.id >= 0) add(token);
    return token;
  }

  void add_extra_tokens() {
    for (const SettingsFile* file : {&special_map_, &config_}) {
      for (AddedTokenSpec& token : read_extra_special_tokens(file->root())) {
        const auto found = ids_.find(token.content);
        if (found == ids_.end()) continue;
        token.id = found->second;
        add(std::move(token));
      }
    }
    for (const auto& [name, id] : added_.root().members()) add({.id = id.id(), .content = name, .normalized = true});
  }

  void set_stages() {
    const bool prefix = config_.root().at("add_prefix_space").flag_or(false);
    if (class_ != BpeClass::kQwen2) {
      spec_.pre_tokenizers = {ByteLevelSpec{.add_prefix_space = prefix, .use_regex = true}};
      return;
    }
    spec_.normalizers = {UnicodeFormSpec{UnicodeFormSpec::Form::kNfc}};
    spec_.pre_tokenizers = {SplitSpec{{std::string(kQwen2Pattern), true}, SplitBehavior::kIsolated, false},
                            ByteLevelSpec{.add_prefix_space = prefix, .use_regex = false}};
  }

  TemplatePiece special(const AddedTokenSpec& token, std::string_view role, std::int32_t segment) const {
    if (token.id < 0) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the {} {} is not in the vocabulary; check that the tokenizer files belong together", spec_.where,
                              role, quote_text(token.content)));
    }
    return {What::kSpecial, token.content, token.id, segment};
  }

  void set_template(const AddedTokenSpec& bos, const AddedTokenSpec& cls, const AddedTokenSpec& sep) {
    const TemplatePiece first{What::kFirst, "", 0, 0};
    TemplatePiece second{What::kSecond, "", 0, 1};
    if (class_ == BpeClass::kRoberta) {
      const TemplatePiece begin = special(cls, "cls_token", 0);
      const TemplatePiece end = special(sep, "sep_token", 0);
      second.segment = 0;
      spec_.trim_offsets = true;
      spec_.single = {begin, first, end};
      spec_.pair = {begin, first, end, end, second, end};
    } else if (class_ == BpeClass::kGpt2 && config_.root().at("add_bos_token").flag_or(false)) {
      spec_.single = {special(bos, "bos_token", 0), first};
      spec_.pair = {special(bos, "bos_token", 0), first, special(bos, "bos_token", 1), second};
    } else {
      spec_.single = {first};
      spec_.pair = {first, second};
    }
  }

  fs::path folder_;
  SettingsFile config_;
  SettingsFile special_map_;
  SettingsFile added_;
  BpeClass class_;
  TokenizerSpec spec_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

TokenizerSpec read_bpe_folder(const fs::path& folder) { return BpeFolder(folder).read(); }

}  // namespace attnviz
