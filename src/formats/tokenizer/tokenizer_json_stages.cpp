// See tokenizer_json_stages.h.
#include "formats/tokenizer/tokenizer_json_stages.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/quote.h"
#include "formats/base64.h"

namespace attnviz {
namespace {

constexpr std::string_view kNormalizers =
    "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, Precompiled or Sequence";
constexpr std::string_view kPreTokenizers =
    "BertPreTokenizer, ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit, Punctuation or Sequence";

PatternSpec read_pattern(const JsonPlace& pattern) {
  if (pattern.has("Regex")) return {pattern.at("Regex").text(), true};
  if (pattern.has("String")) return {pattern.at("String").text(), false};
  pattern.fail("expected {\"String\": ...} or {\"Regex\": ...}");
}

SplitBehavior read_behavior(const JsonPlace& behavior) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kNames = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  for (const auto& [name, value] : kNames) {
    if (behavior.text() == name) return value;
  }
  behavior.fail(fmt::format("expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous, found {}",
                            quote_text(behavior.text())));
}

NormalizerSpec read_bert_normalizer(const JsonPlace& normalizer) {
  BertNormalizerSpec spec;
  spec.clean_text = normalizer.at("clean_text").flag();
  spec.handle_chinese_chars = normalizer.at("handle_chinese_chars").flag();
  if (normalizer.has("strip_accents")) spec.strip_accents = normalizer.at("strip_accents").flag();
  spec.lowercase = normalizer.at("lowercase").flag();
  return spec;
}

NormalizerSpec read_precompiled(const JsonPlace& charsmap) {
  auto bytes = decode_base64(charsmap.text());
  if (!bytes) charsmap.fail("is not base64");
  return PrecompiledSpec{std::move(*bytes)};
}

NormalizerSpec read_normalizer(const JsonPlace& place) {
  using Form = UnicodeFormSpec::Form;
  const std::string& type = place.at("type").text();
  if (type == "BertNormalizer") return read_bert_normalizer(place);
  if (type == "NFC") return UnicodeFormSpec{Form::kNfc};
  if (type == "NFD") return UnicodeFormSpec{Form::kNfd};
  if (type == "NFKC") return UnicodeFormSpec{Form::kNfkc};
  if (type == "NFKD") return UnicodeFormSpec{Form::kNfkd};
  if (type == "Lowercase") return LowercaseSpec{};
  if (type == "StripAccents") return StripAccentsSpec{};
  if (type == "Strip") return StripSpec{place.at("strip_left").flag(), place.at("strip_right").flag()};
  if (type == "Replace") return ReplaceSpec{read_pattern(place.at("pattern")), place.at("content").text()};
  if (type == "Prepend") return PrependSpec{place.at("prepend").text()};
  if (type == "Precompiled") return read_precompiled(place.at("precompiled_charsmap"));
  fail_unsupported(place, type, kNormalizers);
}

MetaspaceSpec read_metaspace(const JsonPlace& place) {
  using Prepend = MetaspaceSpec::Prepend;
  MetaspaceSpec spec;
  spec.replacement = place.at("replacement").text();
  const std::string scheme = place.at("prepend_scheme").text_or("always");
  if (scheme == "first") {
    spec.prepend = Prepend::kFirst;
  } else if (scheme == "never") {
    spec.prepend = Prepend::kNever;
  } else if (scheme != "always") {
    place.at("prepend_scheme").fail(fmt::format("expected always, first or never, found {}", quote_text(scheme)));
  }
  if (!place.at("add_prefix_space").flag_or(true)) spec.prepend = Prepend::kNever;  // files of before 2023
  spec.split = place.at("split").flag_or(true);
  return spec;
}

PreTokenizerSpec read_pre_tokenizer(const JsonPlace& place) {
  const std::string& type = place.at("type").text();
  if (type == "BertPreTokenizer") return BertPreTokenizerSpec{};
  if (type == "ByteLevel") return ByteLevelSpec{place.at("add_prefix_space").flag(), place.at("use_regex").flag_or(true)};
  if (type == "Split") {
    return SplitSpec{read_pattern(place.at("pattern")), read_behavior(place.at("behavior")), place.at("invert").flag_or(false)};
  }
  if (type == "Digits") return DigitsSpec{place.at("individual_digits").flag_or(false)};
  if (type == "Metaspace") return read_metaspace(place);
  if (type == "Whitespace") return WhitespaceSpec{};
  if (type == "WhitespaceSplit") return WhitespaceSplitSpec{};
  if (type == "Punctuation") {
    return PunctuationSpec{place.has("behavior") ? read_behavior(place.at("behavior")) : SplitBehavior::kIsolated};
  }
  fail_unsupported(place, type, kPreTokenizers);
}

// {"type": "Sequence", `list`: [...]}, however deep, as one list.
void flatten(const JsonPlace& place, std::string_view list, std::vector<JsonPlace>* stages) {
  if (place.is_null()) return;
  if (place.at("type").text() != "Sequence") {
    stages->push_back(place);
    return;
  }
  for (const JsonPlace& item : place.at(list).items()) flatten(item, list, stages);
}

WordPieceSpec read_word_piece(const JsonPlace& model, JsonDocument* document) {
  if (!model.at("vocab").is_object() || document->vocab.empty()) model.at("vocab").fail("expected an object of ids, found none");
  WordPieceSpec spec;
  spec.vocab = std::move(document->vocab);
  spec.unknown = model.at("unk_token").text();
  spec.continuing_prefix = model.at("continuing_subword_prefix").text();
  spec.max_characters_per_word = model.at("max_input_chars_per_word").size();
  return spec;
}

BpeSpec read_bpe(const JsonPlace& model, JsonDocument* document) {
  if (!model.at("vocab").is_object() || document->vocab.empty()) model.at("vocab").fail("expected an object of ids, found none");
  if (!model.at("merges").is_array()) model.at("merges").fail("expected a list of merges, found none");
  if (model.has("dropout") && model.at("dropout").number() != 0) {
    model.at("dropout").fail("pieces are dropped at random; expected null or 0");
  }
  BpeSpec spec;
  spec.vocab = std::move(document->vocab);
  spec.merges = std::move(document->merges);
  if (model.has("unk_token")) spec.unknown = model.at("unk_token").text();
  spec.fuse_unknown = model.at("fuse_unk").flag_or(false);
  spec.byte_fallback = model.at("byte_fallback").flag_or(false);
  spec.ignore_merges = model.at("ignore_merges").flag_or(false);
  spec.continuing_prefix = model.at("continuing_subword_prefix").text_or("");
  spec.end_of_word_suffix = model.at("end_of_word_suffix").text_or("");
  return spec;
}

UnigramSpec read_unigram(const JsonPlace& model, JsonDocument* document) {
  if (document->pieces.empty()) model.at("vocab").fail("expected a list of texts and numbers, found none");
  UnigramSpec spec;
  spec.pieces = std::move(document->pieces);
  if (model.has("unk_id")) {
    const std::int32_t id = model.at("unk_id").id();
    if (static_cast<std::size_t>(id) >= spec.pieces.size()) {
      model.at("unk_id").fail(fmt::format("expected an id below {}, found {}", spec.pieces.size(), id));
    }
    spec.unknown_id = id;
  }
  spec.byte_fallback = model.at("byte_fallback").flag_or(false);
  return spec;
}

// Files of before 2020 have no type; it follows from the settings that are there.
std::string model_type(const JsonPlace& model) {
  if (model.has("type")) return model.at("type").text();
  if (model.has("max_input_chars_per_word")) return "WordPiece";
  return model.has("merges") ? "BPE" : "without a type";
}

}  // namespace

void fail_unsupported(const JsonPlace& place, std::string_view kind, std::string_view supported) {
  place.fail(fmt::format("the kind {} is not supported; expected {}; use another model", quote_text(kind), supported));
}

std::vector<NormalizerSpec> read_normalizers(const JsonPlace& normalizer) {
  std::vector<JsonPlace> stages;
  flatten(normalizer, "normalizers", &stages);
  std::vector<NormalizerSpec> specs;
  for (const JsonPlace& stage : stages) specs.push_back(read_normalizer(stage));
  return specs;
}

std::vector<PreTokenizerSpec> read_pre_tokenizers(const JsonPlace& pre_tokenizer) {
  std::vector<JsonPlace> stages;
  flatten(pre_tokenizer, "pretokenizers", &stages);
  std::vector<PreTokenizerSpec> specs;
  for (const JsonPlace& stage : stages) specs.push_back(read_pre_tokenizer(stage));
  return specs;
}

PieceModelSpec read_piece_model(const JsonPlace& model, JsonDocument* document) {
  const std::string type = model_type(model);
  if (type == "WordPiece") return read_word_piece(model, document);
  if (type == "BPE") return read_bpe(model, document);
  if (type == "Unigram") return read_unigram(model, document);
  fail_unsupported(model, type, "WordPiece, BPE or Unigram");
}

}  // namespace attnviz
