// vocab.json with merges.txt, as slow byte-level tokenizers were saved before tokenizer.json: the vocabulary and merges of GPT-2,
// and around them what each class of the ecosystem builds in code. A class that is not known here is refused by name.
#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/special_tokens.h"
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

constexpr const char* kEndOfText = "<|endoftext|>";

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
  explicit BpeFolder(const fs::path& folder) : folder_(folder), tokens_(folder), class_(find_class()) {}

  TokenizerSpec read() {
    spec_.where = (folder_ / "vocab.json").string();
    read_model();
    tokens_.add_listed();
    const bool roberta = class_ == BpeClass::kRoberta;
    const auto add_role = [&](std::string_view role, std::string of_roberta, std::string of_others) {
      return tokens_.add_role(role,
                              {.content = roberta ? std::move(of_roberta) : std::move(of_others), .lstrip = role == "mask_token"});
    };
    add_role("unk_token", "<unk>", kEndOfText);
    const AddedTokenSpec bos = add_role("bos_token", "<s>", kEndOfText);
    add_role("eos_token", "</s>", kEndOfText);
    const AddedTokenSpec sep = add_role("sep_token", "</s>", "");
    const AddedTokenSpec cls = add_role("cls_token", "<s>", "");
    add_role("pad_token", "<pad>", "");
    add_role("mask_token", "<mask>", "");
    tokens_.add_others();
    spec_.added_tokens = tokens_.take();
    check_added_tokens(&spec_);
    set_stages();
    set_template(bos, cls, sep);
    return std::move(spec_);
  }

 private:
  BpeClass find_class() const {
    const std::string name = tokenizer_class(tokens_.config());
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
    tokens_.setting("tokenizer_class")
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
    tokens_.set_vocab(std::get<BpeSpec>(spec_.model).vocab, spec_.where);
  }

  void set_stages() {
    const bool prefix = tokens_.setting("add_prefix_space").flag_or(false);
    if (class_ != BpeClass::kQwen2) {
      spec_.pre_tokenizers = {ByteLevelSpec{.add_prefix_space = prefix, .use_regex = true}};
      return;
    }
    spec_.normalizers = {UnicodeFormSpec{UnicodeFormSpec::Form::kNfc}};
    spec_.pre_tokenizers = {SplitSpec{{std::string(kQwen2Pattern), true}, SplitBehavior::kIsolated, false},
                            ByteLevelSpec{.add_prefix_space = prefix, .use_regex = false}};
  }

  void set_template(const AddedTokenSpec& bos, const AddedTokenSpec& cls, const AddedTokenSpec& sep) {
    const TemplatePiece first{What::kFirst, "", 0, 0};
    TemplatePiece second{What::kSecond, "", 0, 1};
    if (class_ == BpeClass::kRoberta) {
      const TemplatePiece begin = tokens_.piece(cls, "cls_token", 0);
      const TemplatePiece end = tokens_.piece(sep, "sep_token", 0);
      second.segment = 0;
      spec_.trim_offsets = true;
      spec_.single = {begin, first, end};
      spec_.pair = {begin, first, end, end, second, end};
    } else if (class_ == BpeClass::kGpt2 && tokens_.setting("add_bos_token").flag_or(false)) {
      spec_.single = {tokens_.piece(bos, "bos_token", 0), first};
      spec_.pair = {tokens_.piece(bos, "bos_token", 0), first, tokens_.piece(bos, "bos_token", 1), second};
    } else {
      spec_.single = {first};
      spec_.pair = {first, second};
    }
  }

  fs::path folder_;
  FolderTokens tokens_;
  BpeClass class_;
  TokenizerSpec spec_;
};

}  // namespace

TokenizerSpec read_bpe_folder(const fs::path& folder) { return BpeFolder(folder).read(); }

}  // namespace attnviz
