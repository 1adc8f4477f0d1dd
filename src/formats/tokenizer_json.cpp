// tokenizer.json of the tokenizers library (https://huggingface.co/docs/tokenizers), as far as BERT's kind goes: WordPiece model,
// BERT's normaliser and pre-tokeniser, and the template, BERT or RoBERTa post-processor. Everything else is refused by name, for a
// step that is skipped would give wrong tokens. "truncation", "padding" and "decoder" do not change tokens and are not read.
#include <fmt/format.h>

#include <utility>

#include "formats/tokenizer_files.h"
#include "formats/tokenizer_json_tree.h"
#include "formats/tokenizer_numbering.h"

namespace attnviz {
namespace {

using What = TemplatePiece::What;

[[noreturn]] void fail_unsupported(const JsonPlace& place, std::string_view type, std::string_view supported) {
  place.fail(fmt::format("the kind \"{}\" is not supported; expected {}; use a model with a WordPiece tokenizer", type, supported));
}

// {"type": "Sequence", `list`: [x]} is x.
JsonPlace without_sequence(JsonPlace place, std::string_view list) {
  while (place.is_object() && place.at("type").text_or("") == "Sequence") {
    const auto items = place.at(list).items();
    if (items.size() != 1) fail_unsupported(place, fmt::format("Sequence of {}", items.size()), "a sequence of one");
    place = items[0];
  }
  return place;
}

WordPieceSpec read_model(const JsonPlace& model, std::vector<std::string> vocab) {
  // Files of before 2020 have no type; then only WordPiece has this key.
  const std::string type = model.at("type").text_or(model.has("max_input_chars_per_word") ? "WordPiece" : "without a type");
  if (type != "WordPiece") fail_unsupported(model, type, "\"WordPiece\"");
  if (!model.at("vocab").is_object() || vocab.empty()) model.at("vocab").fail("expected an object of ids, found none");
  WordPieceSpec spec;
  spec.vocab = std::move(vocab);
  spec.unknown = model.at("unk_token").text();
  spec.continuing_prefix = model.at("continuing_subword_prefix").text();
  spec.max_characters_per_word = model.at("max_input_chars_per_word").size();
  return spec;
}

std::vector<NormalizerSpec> read_normalizers(const JsonPlace& outer) {
  const JsonPlace normalizer = without_sequence(outer, "normalizers");
  if (normalizer.is_null()) return {};
  const std::string& type = normalizer.at("type").text();
  if (type != "BertNormalizer") fail_unsupported(normalizer, type, "\"BertNormalizer\" or null");
  BertNormalizerSpec spec;
  spec.clean_text = normalizer.at("clean_text").flag();
  spec.handle_chinese_chars = normalizer.at("handle_chinese_chars").flag();
  if (normalizer.has("strip_accents")) spec.strip_accents = normalizer.at("strip_accents").flag();
  spec.lowercase = normalizer.at("lowercase").flag();
  return {spec};
}

void check_pre_tokenizer(const JsonPlace& outer) {
  const JsonPlace pre_tokenizer = without_sequence(outer, "pretokenizers");
  if (pre_tokenizer.is_null()) fail_unsupported(pre_tokenizer, "null", "\"BertPreTokenizer\"");
  const std::string& type = pre_tokenizer.at("type").text();
  if (type != "BertPreTokenizer") fail_unsupported(pre_tokenizer, type, "\"BertPreTokenizer\"");
}

AddedTokenSpec read_added_token(const JsonPlace& token) {
  AddedTokenSpec spec;
  spec.id = token.at("id").id();
  spec.content = token.at("content").text();
  spec.special = token.at("special").flag();
  spec.single_word = token.at("single_word").flag();
  spec.lstrip = token.at("lstrip").flag();
  spec.rstrip = token.at("rstrip").flag();
  spec.normalized = token.at("normalized").flag();
  return spec;
}

// One special token of a template can stand for several ids.
void append_special(const JsonPlace& special_tokens, const JsonPlace& piece, std::vector<TemplatePiece>* pieces) {
  const std::string& name = piece.at("id").text();
  const JsonPlace special = special_tokens.at(name);
  if (special.is_null()) piece.fail(fmt::format("the token \"{}\" is not among post_processor.special_tokens", name));
  const auto ids = special.at("ids").items();
  const auto tokens = special.at("tokens").items();
  if (ids.size() != tokens.size())
    special.fail(fmt::format("has {} ids and {} tokens; expected as many", ids.size(), tokens.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    pieces->push_back({What::kSpecial, tokens[i].text(), ids[i].id(), piece.at("type_id").id()});
  }
}

std::vector<TemplatePiece> read_template(const JsonPlace& processor, std::string_view key) {
  std::vector<TemplatePiece> pieces;
  for (const JsonPlace& item : processor.at(key).items()) {
    if (item.has("SpecialToken")) {
      append_special(processor.at("special_tokens"), item.at("SpecialToken"), &pieces);
      continue;
    }
    const JsonPlace sequence = item.at("Sequence");
    const std::string& name = sequence.at("id").text();
    if (name != "A" && name != "B") sequence.fail(fmt::format("expected \"A\" or \"B\", found \"{}\"", name));
    pieces.push_back({name == "A" ? What::kFirst : What::kSecond, "", 0, sequence.at("type_id").id()});
  }
  return pieces;
}

// BertProcessing and RobertaProcessing name their tokens as ["[SEP]", 102].
TemplatePiece read_named_token(const JsonPlace& pair) {
  const auto items = pair.items();
  if (items.size() != 2) pair.fail(fmt::format("expected a token and its id, found {} items", items.size()));
  return {What::kSpecial, items[0].text(), items[1].id(), 0};
}

void read_post_processor(const JsonPlace& outer, TokenizerSpec* spec) {
  const JsonPlace processor = without_sequence(outer, "processors");
  const TemplatePiece first{What::kFirst, "", 0, 0};
  TemplatePiece second{What::kSecond, "", 0, 1};
  if (processor.is_null()) {
    spec->single = {first};
    spec->pair = {first, second};
    return;
  }
  const std::string& type = processor.at("type").text();
  if (type == "TemplateProcessing") {
    spec->single = read_template(processor, "single");
    spec->pair = read_template(processor, "pair");
    return;
  }
  const bool bert = type == "BertProcessing";
  if (!bert && type != "RobertaProcessing") {
    fail_unsupported(processor, type, "\"TemplateProcessing\", \"BertProcessing\" or \"RobertaProcessing\"");
  }
  const TemplatePiece cls = read_named_token(processor.at("cls"));
  const TemplatePiece sep = read_named_token(processor.at("sep"));
  TemplatePiece last_sep = sep;
  last_sep.segment = second.segment = bert ? 1 : 0;  // RoBERTa has one token type
  spec->trim_offsets = !bert && processor.at("trim_offsets").flag();
  spec->single = {cls, first, sep};
  spec->pair = bert ? std::vector{cls, first, sep, second, last_sep} : std::vector{cls, first, sep, sep, second, last_sep};
}

}  // namespace

TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& where) {
  JsonDocument document = parse_json_document(text, where);
  const JsonPlace root(document.root, where);
  TokenizerSpec spec;
  spec.where = where;
  spec.model = read_model(root.at("model"), std::move(document.vocab));
  spec.normalizers = read_normalizers(root.at("normalizer"));
  check_pre_tokenizer(root.at("pre_tokenizer"));
  spec.pre_tokenizers = {BertPreTokenizerSpec{}};
  read_post_processor(root.at("post_processor"), &spec);
  if (root.has("added_tokens")) {
    for (const JsonPlace& token : root.at("added_tokens").items()) spec.added_tokens.push_back(read_added_token(token));
  }
  check_added_tokens(&spec);
  return spec;
}

}  // namespace attnviz
