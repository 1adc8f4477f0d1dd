// See tokenizer_files.h. vocab.txt folders are what BERT's own tool wrote in 2018 and `save_pretrained` wrote of slow tokenizers
// since: the vocabulary with one entry per line, and the rest in small JSON files, where a token is a text or an object with flags.
#include "formats/tokenizer/tokenizer_files.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/utf8.h"
#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/sentencepiece_folder.h"
#include "formats/tokenizer/special_tokens.h"
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

// The settings of a BERT-like class, applied to the normaliser; a file without one gets one that does only what these settings ask
// for.
void override_normalizer(const JsonPlace& config, std::vector<NormalizerSpec>* normalizers) {
  if (normalizers->empty()) {
    const BertNormalizerSpec nothing{
        .clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = false};
    normalizers->emplace_back(std::in_place_type<BertNormalizerSpec>, nothing);
  }
  auto* normalizer = std::get_if<BertNormalizerSpec>(&normalizers->front());
  if (normalizer == nullptr) return;
  normalizer->lowercase = config.at("do_lower_case").flag_or(normalizer->lowercase);
  normalizer->handle_chinese_chars = config.at("tokenize_chinese_chars").flag_or(normalizer->handle_chinese_chars);
  if (config.has("strip_accents")) normalizer->strip_accents = config.at("strip_accents").flag();
}

// The lines of vocab.txt. Of a token that occurs twice the last counts, as in the reference; the first becomes a hole.
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

// The state of reading a vocab.txt folder.
class VocabFolder {
 public:
  explicit VocabFolder(const fs::path& folder) : tokens_(folder), class_(tokenizer_class(tokens_.config())) {
    spec_.where = (folder / "vocab.txt").string();
    if (!class_.empty() && !is_bert_class(class_)) {
      tokens_.setting("tokenizer_class")
          .fail(fmt::format("the kind \"{}\" is not supported with a vocab.txt; expected one of BERT's, such as \"BertTokenizer\"",
                            class_));
    }
  }

  TokenizerSpec read() {
    spec_.model = WordPieceSpec{.vocab = read_vocab(spec_.where)};
    tokens_.set_vocab(word_piece().vocab, spec_.where);
    spec_.normalizers.emplace_back(std::in_place_type<BertNormalizerSpec>);
    override_normalizer(tokens_.config().root(), &spec_.normalizers);
    spec_.pre_tokenizers.emplace_back(std::in_place_type<BertPreTokenizerSpec>);
    tokens_.add_listed();
    const bool mpnet = class_ == kMpnet;
    word_piece().unknown = add_role("unk_token", "[UNK]").content;
    const AddedTokenSpec sep = add_role("sep_token", mpnet ? "</s>" : "[SEP]");
    add_role("pad_token", mpnet ? "<pad>" : "[PAD]");
    const AddedTokenSpec cls = add_role("cls_token", mpnet ? "<s>" : "[CLS]");
    add_role("mask_token", mpnet ? "<mask>" : "[MASK]");
    tokens_.add_others();
    spec_.added_tokens = tokens_.take();
    set_template(cls, sep, mpnet);
    check_added_tokens(&spec_);
    return std::move(spec_);
  }

 private:
  WordPieceSpec& word_piece() { return std::get<WordPieceSpec>(spec_.model); }

  // Files of before 2023 name the tokens in special_tokens_map.json, and may have older ones in tokenizer_config.json.
  AddedTokenSpec add_role(std::string_view role, std::string usual) {
    const bool is_new = tokens_.config().root().has("added_tokens_decoder");
    return tokens_.add_role(role, {.content = std::move(usual), .lstrip = class_ == kMpnet && role == "mask_token"},
                            is_new ? RoleOrder::kConfigFirst : RoleOrder::kMapFirst);
  }

  void set_template(const AddedTokenSpec& cls, const AddedTokenSpec& sep, bool mpnet) {
    const TemplatePiece begin = tokens_.piece(cls, "cls_token", 0);
    const TemplatePiece end = tokens_.piece(sep, "sep_token", 0);
    const TemplatePiece first{What::kFirst, "", 0, 0};
    const std::int32_t second_type = mpnet ? 0 : 1;  // MPNet has one token type
    const TemplatePiece second{What::kSecond, "", 0, second_type};
    const TemplatePiece last = tokens_.piece(sep, "sep_token", second_type);
    spec_.trim_offsets = mpnet;
    spec_.single = {begin, first, end};
    spec_.pair = mpnet ? std::vector{begin, first, end, end, second, last} : std::vector{begin, first, end, second, last};
  }

  FolderTokens tokens_;
  std::string class_;
  TokenizerSpec spec_;
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
