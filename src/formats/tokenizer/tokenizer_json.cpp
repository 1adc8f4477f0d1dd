// tokenizer.json of the tokenizers library (https://huggingface.co/docs/tokenizers): the stages (tokenizer_json_stages.h), added
// tokens, and the template. Everything else is refused by name, because skipping a step would give wrong tokens.
// "truncation", "padding" and "decoder" do not change tokens and are not read.
#include <utility>

#include <fmt/format.h>

#include "formats/tokenizer/id_numbering.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "formats/tokenizer/tokenizer_json_stages.h"
#include "formats/tokenizer/tokenizer_json_tree.h"

namespace attnviz {
namespace {

using What = TemplatePiece::What;

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

void read_named_template(const JsonPlace& processor, bool bert, TokenizerSpec* spec) {
  const TemplatePiece first{What::kFirst, "", 0, 0};
  TemplatePiece second{What::kSecond, "", 0, 1};
  const TemplatePiece cls = read_named_token(processor.at("cls"));
  const TemplatePiece sep = read_named_token(processor.at("sep"));
  TemplatePiece last_sep = sep;
  last_sep.segment = second.segment = bert ? 1 : 0;  // RoBERTa has one token type
  spec->trim_offsets = !bert && processor.at("trim_offsets").flag();
  spec->single = {cls, first, sep};
  spec->pair = bert ? std::vector{cls, first, sep, second, last_sep} : std::vector{cls, first, sep, sep, second, last_sep};
}

// {"type": "Sequence", "processors": [...]}: offsets may be trimmed by several, but there is only one template.
void read_post_processor(const JsonPlace& processor, TokenizerSpec* spec) {
  if (processor.is_null()) return;
  const std::string& type = processor.at("type").text();
  if (type == "Sequence") {
    for (const JsonPlace& item : processor.at("processors").items()) read_post_processor(item, spec);
    return;
  }
  if (type == "ByteLevel") {
    spec->trim_offsets = processor.at("trim_offsets").flag_or(true);
    return;
  }
  if (!spec->single.empty()) fail_unsupported(processor, type, "one template, and this is the second");
  if (type == "TemplateProcessing") {
    spec->single = read_template(processor, "single");
    if (spec->single.empty()) processor.at("single").fail("expected the place of the text, found nothing");
    spec->pair = read_template(processor, "pair");
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    read_named_template(processor, type == "BertProcessing", spec);
  } else {
    fail_unsupported(processor, type, "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or Sequence");
  }
}

}  // namespace

TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& where) {
  JsonDocument document = parse_json_document(text, where);
  const JsonPlace root(document.root, where);
  TokenizerSpec spec;
  spec.where = where;
  spec.model = read_piece_model(root.at("model"), &document);
  spec.normalizers = read_normalizers(root.at("normalizer"));
  spec.pre_tokenizers = read_pre_tokenizers(root.at("pre_tokenizer"));
  read_post_processor(root.at("post_processor"), &spec);
  if (spec.single.empty()) {
    spec.single = {{What::kFirst, "", 0, 0}};
    spec.pair = {{What::kFirst, "", 0, 0}, {What::kSecond, "", 0, 1}};
  }
  if (root.has("added_tokens")) {
    for (const JsonPlace& token : root.at("added_tokens").items()) spec.added_tokens.push_back(read_added_token(token));
  }
  check_added_tokens(&spec);
  return spec;
}

}  // namespace attnviz
