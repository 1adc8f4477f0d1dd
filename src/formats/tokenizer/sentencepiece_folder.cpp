// See sentencepiece_folder.h. The classes' pipelines are those of the transformers library (5.x), which makes a fast tokenizer
// of such a folder; where that takes the ids of special tokens for granted, they are checked here.
#include "formats/tokenizer/sentencepiece_folder.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/sentencepiece_model.h"
#include "formats/tokenizer/special_tokens.h"
#include "formats/tokenizer/tokenizer_json_tree.h"
#include "formats/tokenizer/tokenizer_settings.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using What = TemplatePiece::What;
using Prepend = MetaspaceSpec::Prepend;

constexpr std::uint64_t kMaxExtraIds = 1000;
constexpr const char* kSpaceMark = "\xE2\x96\x81";  // U+2581

bool is_byte_name(std::string_view text) {
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') &&
         text.substr(3, 2).find_first_not_of("0123456789ABCDEF") == std::string_view::npos;
}

// The pieces as the reference's BPE treats them, whatever their type: it makes a list of merges from every way to build a piece of
// two others, by the piece's id. So the earlier piece is joined first, and a piece with a character that is not a piece is never
// made.
std::vector<SpmPiece> pieces_by_id(std::vector<SpmPiece> pieces) {
  std::unordered_set<char32_t> characters;
  for (const SpmPiece& piece : pieces) {
    const Utf8Char first = decode_utf8(piece.text, 0);
    if (first.length == piece.text.size()) characters.insert(first.code_point);
  }
  const auto can_be_joined = [&](std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at += decode_utf8(text, at).length) {
      if (!characters.contains(decode_utf8(text, at).code_point)) return false;
    }
    return true;
  };
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    SpmPiece& piece = pieces[id];
    piece.score = -static_cast<float>(id);
    piece.type = can_be_joined(piece.text) ? SpmPiece::Type::kNormal : SpmPiece::Type::kControl;
    if (is_byte_name(piece.text)) piece.type = SpmPiece::Type::kByte;
  }
  return pieces;
}

// The state of reading such a folder.
class SentencePieceFolder {
 public:
  SentencePieceFolder(const fs::path& folder, const fs::path& file)
      : folder_(folder),
        config_(folder, "tokenizer_config.json"),
        map_(folder, "special_tokens_map.json"),
        model_(parse_sentencepiece_model(read_text_file(file.string(), kMaxTokenizerFileSize, ErrorKind::kModel), file.string())) {
    spec_.where = file.string();
    if (model_.treat_whitespace_as_suffix) fail("marks spaces after words (treat_whitespace_as_suffix), which is not supported");
  }

  TokenizerSpec read() {
    const std::string name = class_name();
    if (name == "T5Tokenizer" || name == "MT5Tokenizer") {
      set_t5();
    } else if (name == "XLMRobertaTokenizer") {
      set_xlm_roberta();
    } else if (name == "AlbertTokenizer") {
      set_albert();
    } else if (name == "DebertaV2Tokenizer") {
      set_deberta();
    } else if (name == "LlamaTokenizer") {
      set_llama();
    } else if (name == "GemmaTokenizer") {
      set_gemma();
    } else {
      config()
          .at("tokenizer_class")
          .fail(fmt::format("the kind {} is not supported with a {}; expected the class of T5, XLM-RoBERTa, ALBERT, DeBERTa-v2, "
                            "Llama or Gemma; use a "
                            "folder with a tokenizer.json",
                            quote_text(name), fs::path(spec_.where).filename().string()));
    }
    check_added_tokens(&spec_);
    return std::move(spec_);
  }

 private:
  JsonPlace config() const { return config_.root(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {}; use another model", spec_.where, what));
  }

  // The class the settings name, or else the usual one of the model's family.
  std::string class_name() const {
    std::string name = tokenizer_class(config_);
    if (!name.empty()) return name;
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kOfFamily = {
        {{"t5", "T5Tokenizer"},
         {"mt5", "T5Tokenizer"},
         {"xlm-roberta", "XLMRobertaTokenizer"},
         {"albert", "AlbertTokenizer"},
         {"deberta-v2", "DebertaV2Tokenizer"},
         {"llama", "LlamaTokenizer"},
         {"gemma", "GemmaTokenizer"},
         {"gemma2", "GemmaTokenizer"},
         {"gemma3", "GemmaTokenizer"},
         {"gemma3_text", "GemmaTokenizer"},
         {"", ""}}};
    const SettingsFile model_config(folder_, "config.json");
    const std::string family = model_config.root().at("model_type").text_or("");
    for (const auto& [type, usual] : kOfFamily) {
      if (type == family) return std::string(usual);
    }
    return family;
  }

  void expect_type(SentencePieceModel::Type type, const char* name) const {
    if (model_.type == type) return;
    fail(fmt::format("is not a {} model, which its tokenizer class needs", name));
  }

  // --- Models ---

  void set_unigram(std::vector<UnigramPiece> pieces, std::int32_t unknown_id) {
    for (std::size_t id = 0; id < pieces.size(); ++id) ids_[pieces[id].text] = static_cast<std::int32_t>(id);
    n_ids_ = static_cast<std::int32_t>(pieces.size());
    spec_.model = UnigramSpec{.pieces = std::move(pieces), .unknown_id = unknown_id};
  }

  std::vector<UnigramPiece> pieces_from(std::size_t begin) const {
    std::vector<UnigramPiece> pieces;
    for (std::size_t id = begin; id < model_.pieces.size(); ++id) {
      pieces.push_back({model_.pieces[id].text, static_cast<double>(model_.pieces[id].score)});
    }
    return pieces;
  }

  void expect_unknown_at(std::size_t id) const {
    if (id < model_.pieces.size() && model_.pieces[id].type == SpmPiece::Type::kUnknown) return;
    fail(fmt::format("its piece {} is not the unknown token; its tokenizer class needs it there", id));
  }

  void set_bpe(const std::optional<std::string>& unknown) {
    SpmSpec spm{.pieces = pieces_by_id(model_.pieces), .drop_unknown = true};
    for (std::size_t id = 0; id < spm.pieces.size(); ++id) {
      ids_[spm.pieces[id].text] = static_cast<std::int32_t>(id);
      if (spm.pieces[id].text == unknown) spm.pieces[id].type = SpmPiece::Type::kUnknown;
    }
    n_ids_ = static_cast<std::int32_t>(spm.pieces.size());
    spec_.model = std::move(spm);
  }

  // --- Added tokens ---

  AddedTokenSpec role(std::string_view name, std::string_view usual) const {
    return read_role(config(), map_.root(), name, {.content = std::string(usual), .special = true});
  }

  // The first of equal ones counts. A token that the vocabulary lacks gets the next id.
  std::int32_t add(AddedTokenSpec token) {
    const auto [found, is_new] = ids_.try_emplace(token.content, n_ids_);
    if (is_new) ++n_ids_;
    token.id = found->second;
    const auto same = [&](const AddedTokenSpec& other) { return other.id == token.id; };
    if (std::none_of(spec_.added_tokens.begin(), spec_.added_tokens.end(), same)) spec_.added_tokens.push_back(std::move(token));
    return found->second;
  }

  // "added_tokens_decoder": {"32000": {"content": ..., "lstrip": ...}}
  void add_listed() {
    for (const AddedTokenSpec& token : read_decoder_tokens(config())) {
      if (const std::int32_t found = add(token); found != token.id) {
        config()
            .at("added_tokens_decoder")
            .fail(fmt::format("{} has the id {}, but the vocabulary gives it {}; check that the tokenizer files belong together",
                              quote_text(token.content), token.id, found));
      }
    }
  }

  // The tokens of the roles, then the model's control and user-defined pieces; all ids past the vocabulary are given in this order.
  void add_tokens(const std::vector<AddedTokenSpec>& roles) {
    add_listed();
    for (const AddedTokenSpec& token : roles) add(token);
    for (const SpmPiece& piece : model_.pieces) {
      const bool control = piece.type == SpmPiece::Type::kControl;
      if (control || piece.type == SpmPiece::Type::kUserDefined) add({.content = piece.text, .special = control});
    }
  }

  void sort_added() {
    std::stable_sort(spec_.added_tokens.begin(), spec_.added_tokens.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
  }

  // --- Pipelines ---

  void add_charsmap() {
    if (!model_.charsmap.empty()) spec_.normalizers.push_back(PrecompiledSpec{model_.charsmap});
  }

  void add_replacement(PatternSpec pattern, std::string content) {
    ReplaceSpec replace;
    replace.pattern = std::move(pattern);
    replace.content = std::move(content);
    spec_.normalizers.emplace_back(std::move(replace));
  }

  void split_at_spaces() {
    const bool prefix = config().at("add_prefix_space").flag_or(true);
    spec_.pre_tokenizers = {WhitespaceSplitSpec{}, MetaspaceSpec{.prepend = prefix ? Prepend::kAlways : Prepend::kNever}};
  }

  TemplatePiece special(const AddedTokenSpec& token, std::int32_t segment) const {
    return {What::kSpecial, token.content, ids_.at(token.content), segment};
  }

  // [CLS] first [SEP] second [SEP]
  void set_bert_template(const AddedTokenSpec& cls, const AddedTokenSpec& sep) {
    spec_.single = {special(cls, 0), {What::kFirst, "", 0, 0}, special(sep, 0)};
    spec_.pair = spec_.single;
    spec_.pair.push_back({What::kSecond, "", 0, 1});
    spec_.pair.push_back(special(sep, 1));
  }

  // Decoders put their BOS and EOS around each text if asked to.
  void set_decoder_template(const AddedTokenSpec& bos, const AddedTokenSpec& eos) {
    const bool add_bos = config().at("add_bos_token").flag_or(false);
    const bool add_eos = config().at("add_eos_token").flag_or(false);
    for (const std::int32_t segment : {0, 1}) {
      if (add_bos) spec_.pair.push_back(special(bos, segment));
      spec_.pair.push_back({segment == 0 ? What::kFirst : What::kSecond, "", 0, segment});
      if (add_eos) spec_.pair.push_back(special(eos, segment));
      if (segment == 0) spec_.single = spec_.pair;
    }
  }

  void set_t5() {
    expect_type(SentencePieceModel::Type::kUnigram, "Unigram");
    expect_unknown_at(2);
    const std::uint64_t n_extra = config().has("extra_ids") ? config().at("extra_ids").size() : 100;
    if (n_extra > kMaxExtraIds) config().at("extra_ids").fail(fmt::format("expected at most {}, found {}", kMaxExtraIds, n_extra));
    std::vector<UnigramPiece> pieces = pieces_from(0);
    const std::size_t n_pieces = pieces.size();
    for (std::uint64_t i = n_extra; i > 0; --i) pieces.push_back({fmt::format("<extra_id_{}>", i - 1), 0.0});
    const std::vector<UnigramPiece> extra(pieces.begin() + static_cast<std::ptrdiff_t>(n_pieces), pieces.end());
    set_unigram(std::move(pieces), 2);
    add_charsmap();
    spec_.pre_tokenizers = {WhitespaceSplitSpec{}, MetaspaceSpec{}};
    const AddedTokenSpec eos = role("eos_token", "</s>");
    add_tokens({eos, role("unk_token", "<unk>"), role("pad_token", "<pad>")});
    for (const UnigramPiece& piece : extra) add({.content = piece.text, .special = true});
    sort_added();
    spec_.single = {{What::kFirst, "", 0, 0}, special(eos, 0)};
    spec_.pair = {{What::kFirst, "", 0, 0}, special(eos, 0), {What::kSecond, "", 0, 0}, special(eos, 0)};
  }

  // The vocabulary is fairseq's: four tokens of its own instead of the model's three, so every id is one higher.
  void set_xlm_roberta() {
    expect_type(SentencePieceModel::Type::kUnigram, "Unigram");
    if (model_.pieces.size() < 3) fail("has fewer than the three special pieces that its tokenizer class needs");
    const AddedTokenSpec bos = role("bos_token", "<s>"), eos = role("eos_token", "</s>"), pad = role("pad_token", "<pad>");
    const AddedTokenSpec unknown = role("unk_token", "<unk>"), mask = role("mask_token", "<mask>");
    std::vector<UnigramPiece> pieces = {{bos.content}, {pad.content}, {eos.content}, {unknown.content}};
    for (UnigramPiece& piece : pieces_from(3)) pieces.push_back(std::move(piece));
    pieces.push_back({mask.content});
    set_unigram(std::move(pieces), 3);
    add_charsmap();
    split_at_spaces();
    add_tokens({bos, eos, unknown, role("sep_token", "</s>"), pad, role("cls_token", "<s>"), mask});
    sort_added();
    const TemplatePiece begin = special(bos, 0), end = special(eos, 0);
    spec_.single = {begin, {What::kFirst, "", 0, 0}, end};
    spec_.pair = {begin, {What::kFirst, "", 0, 0}, end, end, {What::kSecond, "", 0, 0}, end};
  }

  void add_bert_tokens(std::string_view unknown, std::string_view pad) {
    const AddedTokenSpec cls = role("cls_token", "[CLS]"), sep = role("sep_token", "[SEP]");
    add_tokens({role("bos_token", "[CLS]"), role("eos_token", "[SEP]"), role("unk_token", unknown), sep, role("pad_token", pad),
                cls, role("mask_token", "[MASK]")});
    sort_added();
    set_bert_template(cls, sep);
  }

  void set_albert() {
    expect_type(SentencePieceModel::Type::kUnigram, "Unigram");
    expect_unknown_at(1);
    set_unigram(pieces_from(0), 1);
    for (const char* quote : {"``", "''"}) add_replacement({quote, false}, "\"");
    if (!config().at("keep_accents").flag_or(false)) {
      spec_.normalizers.push_back(UnicodeFormSpec{UnicodeFormSpec::Form::kNfkd});
      spec_.normalizers.push_back(StripAccentsSpec{});
    }
    if (config().at("do_lower_case").flag_or(true)) spec_.normalizers.push_back(LowercaseSpec{});
    add_charsmap();
    split_at_spaces();
    add_bert_tokens("<unk>", "<pad>");
  }

  void set_deberta() {
    expect_type(SentencePieceModel::Type::kUnigram, "Unigram");
    const std::string unknown = role("unk_token", "[UNK]").content;
    std::size_t unknown_id = 0;
    while (unknown_id < model_.pieces.size() && model_.pieces[unknown_id].text != unknown) ++unknown_id;
    expect_unknown_at(unknown_id);
    set_unigram(pieces_from(0), static_cast<std::int32_t>(unknown_id));
    if (config().at("do_lower_case").flag_or(false)) spec_.normalizers.push_back(LowercaseSpec{});
    add_replacement({R"(\s{2,}|[\n\r\t])", true}, " ");
    spec_.normalizers.push_back(UnicodeFormSpec{UnicodeFormSpec::Form::kNfc});
    spec_.normalizers.push_back(StripSpec{.left = false, .right = true});
    if (config().at("split_by_punct").flag_or(false)) spec_.pre_tokenizers.push_back(PunctuationSpec{});
    const bool prefix = config().at("add_prefix_space").flag_or(true);
    spec_.pre_tokenizers.push_back(MetaspaceSpec{.prepend = prefix ? Prepend::kAlways : Prepend::kFirst});
    add_bert_tokens("[UNK]", "[PAD]");
  }

  void set_llama() {
    expect_type(SentencePieceModel::Type::kBpe, "BPE");
    set_bpe(std::nullopt);
    const bool prefix = config().at("add_prefix_space").flag_or(true);
    const Prepend prepend = config().at("legacy").flag_or(false) ? Prepend::kAlways : Prepend::kFirst;
    spec_.pre_tokenizers = {MetaspaceSpec{.prepend = prefix ? prepend : Prepend::kNever, .split = false}};
    const AddedTokenSpec bos = role("bos_token", "<s>"), eos = role("eos_token", "</s>");
    std::vector<AddedTokenSpec> roles = {bos, eos, role("unk_token", "<unk>")};
    if (config().has("pad_token")) roles.push_back(role("pad_token", ""));
    add_tokens(roles);
    sort_added();
    set_decoder_template(bos, eos);
  }

  void set_gemma() {
    expect_type(SentencePieceModel::Type::kBpe, "BPE");
    const AddedTokenSpec bos = role("bos_token", "<bos>"), eos = role("eos_token", "<eos>"), unknown = role("unk_token", "<unk>");
    set_bpe(unknown.content);
    add_replacement({" ", false}, kSpaceMark);
    spec_.pre_tokenizers = {SplitSpec{.pattern = {" ", false}, .behavior = SplitBehavior::kMergedWithPrevious}};
    add_tokens({bos, eos, unknown, role("pad_token", "<pad>"), role("mask_token", "<mask>")});
    sort_added();
    set_decoder_template(bos, eos);
  }

  fs::path folder_;
  SettingsFile config_, map_;
  SentencePieceModel model_;
  TokenizerSpec spec_;
  std::unordered_map<std::string, std::int32_t> ids_;  // of the vocabulary and of added tokens
  std::int32_t n_ids_ = 0;
};

}  // namespace

std::optional<fs::path> find_sentencepiece_file(const fs::path& folder) {
  for (const char* name : kSentencePieceFiles) {
    if (fs::exists(folder / name)) return folder / name;
  }
  return std::nullopt;
}

TokenizerSpec read_sentencepiece_folder(const fs::path& folder, const fs::path& file) {
  return SentencePieceFolder(folder, file).read();
}

}  // namespace attnviz
