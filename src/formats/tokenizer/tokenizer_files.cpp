// See tokenizer_files.h. vocab.txt folders are what BERT's own tool wrote in 2018 and `save_pretrained` wrote of slow tokenizers
// since: the vocabulary a line each, and the rest spread over small JSON files, where a token is a text or an object with flags.
#include "formats/tokenizer/tokenizer_files.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/sentencepiece_folder.h"
#include "formats/tokenizer/tokenizer_json_tree.h"
#include "formats/tokenizer/tokenizer_settings.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using What = TemplatePiece::What;

// Tokenizer classes of the ecosystem that are BERT's WordPiece, without "Fast" at the end.
constexpr std::array<std::string_view, 11> kBertClasses = {
    "BertTokenizer",       "DistilBertTokenizer",  "ElectraTokenizer",           "MPNetTokenizer",
    "MobileBertTokenizer", "SqueezeBertTokenizer", "ConvBertTokenizer",          "LxmertTokenizer",
    "RetriBertTokenizer",  "LayoutLMTokenizer",    "DPRQuestionEncoderTokenizer"};
constexpr std::string_view kMpnet = "MPNetTokenizer";

bool is_bert_class(std::string_view name) {
  return std::find(kBertClasses.begin(), kBertClasses.end(), name) != kBertClasses.end();
}

// The settings of a BERT-like class, laid over the normaliser; a file without one gets one that does only what is asked for here.
void override_normalizer(const JsonPlace& config, std::vector<NormalizerSpec>* normalizers) {
  if (normalizers->empty()) {
    normalizers->push_back(
        BertNormalizerSpec{.clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = false});
  }
  auto* normalizer = std::get_if<BertNormalizerSpec>(&normalizers->front());
  if (normalizer == nullptr) return;
  normalizer->lowercase = config.at("do_lower_case").flag_or(normalizer->lowercase);
  normalizer->handle_chinese_chars = config.at("tokenize_chinese_chars").flag_or(normalizer->handle_chinese_chars);
  if (config.has("strip_accents")) normalizer->strip_accents = config.at("strip_accents").flag();
}

using Ids = std::unordered_map<std::string_view, std::int32_t>;

// The lines of vocab.txt. Of a token that is there twice the last counts, as in the reference; the first becomes a hole.
std::vector<std::string> read_vocab(const std::string& where) {
  const std::string text = read_text_file(where, kMaxTokenizerFileSize, ErrorKind::kModel);
  std::vector<std::string> vocab;
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (find_invalid_utf8(line)) {
      throw Error(ErrorKind::kModel, fmt::format("{}: line {} is not UTF-8; get the file again", where, vocab.size() + 1));
    }
    const auto [earlier, is_new] = seen.try_emplace(line, vocab.size());
    if (!is_new) vocab[std::exchange(earlier->second, vocab.size())].clear();
    vocab.emplace_back(line);
    begin = end + 1;
  }
  return vocab;
}

// Everything of a vocab.txt folder, while the spec is put together.
class VocabFolder {
 public:
  explicit VocabFolder(const fs::path& folder)
      : config_(folder, "tokenizer_config.json"),
        special_map_(folder, "special_tokens_map.json"),
        added_(folder, "added_tokens.json"),
        class_(tokenizer_class(config_)) {
    spec_.where = (folder / "vocab.txt").string();
    if (!class_.empty() && !is_bert_class(class_)) {
      config_.root()
          .at("tokenizer_class")
          .fail(fmt::format("the kind \"{}\" is not supported with a vocab.txt; expected one of BERT's, such as \"BertTokenizer\"",
                            class_));
    }
  }

  TokenizerSpec read() {
    spec_.model = WordPieceSpec{.vocab = read_vocab(spec_.where)};
    collect_ids();
    spec_.normalizers = {BertNormalizerSpec{}};
    override_normalizer(config_.root(), &spec_.normalizers);
    spec_.pre_tokenizers = {BertPreTokenizerSpec{}};
    read_decoder();
    const bool mpnet = class_ == kMpnet;
    word_piece().unknown = add_special("unk_token", "[UNK]").content;
    const AddedTokenSpec sep = add_special("sep_token", mpnet ? "</s>" : "[SEP]");
    add_special("pad_token", mpnet ? "<pad>" : "[PAD]");
    const AddedTokenSpec cls = add_special("cls_token", mpnet ? "<s>" : "[CLS]");
    add_special("mask_token", mpnet ? "<mask>" : "[MASK]");
    add_extra_tokens();
    set_template(cls, sep, mpnet);
    check_added_tokens(&spec_);
    return std::move(spec_);
  }

 private:
  WordPieceSpec& word_piece() { return std::get<WordPieceSpec>(spec_.model); }
  const WordPieceSpec& word_piece() const { return std::get<WordPieceSpec>(spec_.model); }

  void collect_ids() {
    const auto& vocab = word_piece().vocab;
    ids_.reserve(vocab.size());
    for (std::size_t id = 0; id < vocab.size(); ++id) ids_.emplace(vocab[id], static_cast<std::int32_t>(id));
    added_members_ = added_.root().members();
    for (const auto& [name, id] : added_members_) ids_.emplace(name, id.id());
  }

  void add(AddedTokenSpec token) {
    const auto same = [&](const AddedTokenSpec& other) { return other.content == token.content; };
    if (std::none_of(spec_.added_tokens.begin(), spec_.added_tokens.end(), same)) spec_.added_tokens.push_back(std::move(token));
  }

  void read_decoder() {
    for (AddedTokenSpec& token : read_decoder_tokens(config_.root())) {
      decoder_ids_.emplace_back(token.content, token.id);
      add(std::move(token));
    }
    std::sort(spec_.added_tokens.begin(), spec_.added_tokens.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (const auto& [content, id] : decoder_ids_) ids_.emplace(content, id);
  }

  // A token by its role. One that the vocabulary does not hold cannot be typed, and is an error where the template needs it.
  AddedTokenSpec add_special(std::string_view role, std::string_view fallback) {
    AddedTokenSpec token{.content = std::string(fallback), .special = true};
    token.lstrip = class_ == kMpnet && role == "mask_token";
    const bool config_first = config_.root().has("added_tokens_decoder") && config_.root().has(role);
    const JsonPlace in_map = special_map_.root().at(role);
    const JsonPlace place = config_first || in_map.is_null() ? config_.root().at(role) : in_map;
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
    std::vector<AddedTokenSpec> added;
    for (const auto& [name, id] : added_members_) added.push_back({.id = id.id(), .content = name, .normalized = true});
    std::sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (AddedTokenSpec& token : added) add(std::move(token));
    // The rule of numbering wants those past the vocabulary in order.
    std::stable_sort(spec_.added_tokens.begin(), spec_.added_tokens.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
  }

  TemplatePiece template_piece(const AddedTokenSpec& token, std::string_view role, std::int32_t segment) const {
    if (token.id < 0) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the {} \"{}\" is not in the vocabulary of {} lines; check that the tokenizer files "
                              "belong together",
                              spec_.where, role, token.content, word_piece().vocab.size()));
    }
    return {What::kSpecial, token.content, token.id, segment};
  }

  void set_template(const AddedTokenSpec& cls, const AddedTokenSpec& sep, bool mpnet) {
    const TemplatePiece begin = template_piece(cls, "cls_token", 0);
    const TemplatePiece end = template_piece(sep, "sep_token", 0);
    const TemplatePiece first{What::kFirst, "", 0, 0};
    const std::int32_t second_type = mpnet ? 0 : 1;  // MPNet has one token type
    const TemplatePiece second{What::kSecond, "", 0, second_type};
    const TemplatePiece last = template_piece(sep, "sep_token", second_type);
    spec_.trim_offsets = mpnet;
    spec_.single = {begin, first, end};
    spec_.pair = mpnet ? std::vector{begin, first, end, end, second, last} : std::vector{begin, first, end, second, last};
  }

  SettingsFile config_;
  SettingsFile special_map_;
  SettingsFile added_;
  std::string class_;
  TokenizerSpec spec_;
  std::vector<std::pair<std::string, JsonPlace>> added_members_;   // added_tokens.json
  std::vector<std::pair<std::string, std::int32_t>> decoder_ids_;  // added_tokens_decoder
  Ids ids_;                                                        // of the vocabulary and of both lists
};

}  // namespace

std::vector<fs::path> tokenizer_file_paths(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const char* name : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json",
                           "special_tokens_map.json", "added_tokens.json", "config.json"}) {
    paths.push_back(folder / name);
  }
  for (const char* name : kSentencePieceFiles) paths.push_back(folder / name);
  return paths;
}

TokenizerSpec read_tokenizer_files(const fs::path& folder) {
  const fs::path json = folder / "tokenizer.json";
  if (fs::exists(json)) {
    TokenizerSpec spec = parse_tokenizer_json(read_text_file(json, kMaxTokenizerFileSize, ErrorKind::kModel), json.string());
    const SettingsFile config(folder, "tokenizer_config.json");
    if (is_bert_class(tokenizer_class(config))) override_normalizer(config.root(), &spec.normalizers);
    return spec;
  }
  if (fs::exists(folder / "vocab.txt")) return VocabFolder(folder).read();
  if (fs::exists(folder / "vocab.json") && fs::exists(folder / "merges.txt")) return read_bpe_folder(folder);
  if (const auto model = find_sentencepiece_file(folder)) return read_sentencepiece_folder(folder, *model);
  throw Error(
      ErrorKind::kModel,
      fmt::format(
          "{}: has no tokenizer; expected tokenizer.json, vocab.txt, vocab.json and merges.txt, or a SentencePiece .model; use "
          "a folder that save_pretrained of model and tokenizer wrote",
          folder.string()));
}

}  // namespace attnviz
