// tokenizer_json_stages.h, tokenizer_settings.h and base64.h: the stages and models of tokenizer.json beyond BERT's, folders with
// vocab.json and merges.txt, and every way these can be broken, with the message it gets.
#include <attnviz/error.h>

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "formats/base64.h"
#include "formats/tokenizer/tokenizer_files.h"

namespace attnviz {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// A small tokenizer.json of the byte-level kind.
json small_json() {
  return json::parse(R"({
    "added_tokens": [{"id": 4, "content": "<s>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]},
      {"type": "Replace", "pattern": {"Regex": " +"}, "content": " "}, {"type": "Strip", "strip_left": true, "strip_right": false}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"String": "x"}, "behavior": "MergedWithNext", "invert": false}, {"type": "Digits", "individual_digits": true},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
    "post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
      {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
       "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
       "special_tokens": {"<s>": {"id": "<s>", "ids": [4], "tokens": ["<s>"]}}}]},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": "</w>", "fuse_unk": false,
      "byte_fallback": false, "ignore_merges": true, "vocab": {"a": 0, "b": 1, "ab": 2, "abb": 3}, "merges": ["a b", "ab b"]}
  })");
}

TokenizerSpec parse(const json& document) { return parse_tokenizer_json(document.dump(), "file"); }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(TokenizerStages, ReadsByteLevelKinds) {
  const TokenizerSpec spec = parse(small_json());
  ASSERT_EQ(spec.normalizers.size(), 4U) << "sequences are laid flat";
  EXPECT_TRUE(std::holds_alternative<LowercaseSpec>(spec.normalizers[1]));
  EXPECT_TRUE(std::get<ReplaceSpec>(spec.normalizers[2]).pattern.regex);
  EXPECT_FALSE(std::get<StripSpec>(spec.normalizers[3]).right);
  ASSERT_EQ(spec.pre_tokenizers.size(), 3U);
  EXPECT_EQ(std::get<SplitSpec>(spec.pre_tokenizers[0]).behavior, SplitBehavior::kMergedWithNext);
  EXPECT_FALSE(std::get<ByteLevelSpec>(spec.pre_tokenizers[2]).use_regex);
  EXPECT_TRUE(spec.trim_offsets);
  EXPECT_EQ(spec.single.size(), 2U);
  const auto& model = std::get<BpeSpec>(spec.model);
  EXPECT_THAT(model.vocab, ElementsAre("a", "b", "ab", "abb"));
  ASSERT_EQ(model.merges.size(), 2U);
  EXPECT_EQ(model.merges[1].pair, "abb");
  EXPECT_EQ(model.merges[1].left, 2U);
  EXPECT_TRUE(model.ignore_merges);
  EXPECT_EQ(model.end_of_word_suffix, "</w>");
}

TEST(TokenizerStages, MergesAsPairs) {
  json document = small_json();
  document["model"]["merges"] = json::array({json::array({"a", "b"}), json::array({"ab", "b"})});
  const TokenizerSpec spec = parse(document);
  const auto& model = std::get<BpeSpec>(spec.model);
  ASSERT_EQ(model.merges.size(), 2U);
  EXPECT_EQ(model.merges[1].pair, "abb");
  EXPECT_EQ(model.merges[1].left, 2U);
}

TEST(TokenizerStages, UnigramPieces) {
  json document = small_json();
  document["model"] =
      json::parse(R"({"type": "Unigram", "unk_id": 1, "vocab": [["a", -1.5], ["<unk>", 0], ["b", -2], ["c", -3.25]]})");
  const TokenizerSpec spec = parse(document);
  const auto& model = std::get<UnigramSpec>(spec.model);
  ASSERT_EQ(model.pieces.size(), 4U);
  EXPECT_EQ(model.pieces[3].text, "c");
  EXPECT_EQ(model.pieces[2].score, -2);
  EXPECT_EQ(model.pieces[3].score, -3.25);
  EXPECT_EQ(model.unknown_id, 1);
}

struct BadJson {
  std::string path;  // JSON pointer of what is changed
  json value;
  std::string expected;
};

TEST(TokenizerStages, EveryBrokenPlaceIsNamed) {
  const std::string first = "/pre_tokenizer/pretokenizers/0";
  const std::vector<BadJson> cases = {
      {"/normalizer/normalizers/0/type", "Nmt", "normalizer.normalizers[0]: the kind \"Nmt\" is not supported"},
      {"/normalizer/normalizers/2/pattern", {{"Glob", "*"}}, "pattern: expected {\"String\": ...} or {\"Regex\": ...}"},
      {"/normalizer/normalizers/2/content", nullptr, "content: expected a text, found nothing"},
      {"/normalizer/normalizers/3/strip_left", 1, "strip_left: expected true or false, found a whole number"},
      {"/normalizer/normalizers/0", {{"type", "Precompiled"}, {"precompiled_charsmap", "a?=="}}, "is not base64"},
      {"/normalizer/normalizers", 3, "normalizer.normalizers: expected a list, found a whole number"},
      {first + "/type", "UnicodeScripts", "pre_tokenizer.pretokenizers[0]: the kind \"UnicodeScripts\" is not supported"},
      {first + "/behavior", "Other", "behavior: expected Removed, Isolated"},
      {first,
       {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "often"}},
       "expected always, first or never, found \"often\""},
      {"/post_processor/processors/0/type", "Other", "the kind \"Other\" is not supported"},
      {"/post_processor/processors/0", small_json()["post_processor"]["processors"][1], "one template, and this is the second"},
      {"/model/type", "WordLevel", "model: the kind \"WordLevel\" is not supported"},
      {"/model/dropout", 0.1, "model.dropout: pieces are dropped at random"},
      {"/model/dropout", "no", "model.dropout: expected a number, found a text"},
      {"/model/merges", nullptr, "model.merges: expected a list of merges"},
      {"/model/merges/0", "a b c", "model.merges[0]: expected two texts with one space between, found \"a b c\""},
      {"/model/merges/1", "ab", "model.merges[1]: expected two texts with one space between"},
      {"/model/merges/0", 7, "model.merges[0]: expected \"a b\" or [\"a\", \"b\"]"},
      {"/model/merges/0", json::array({"a"}), "model.merges"},
      {"/model/merges/0", {"a", "b", "c"}, "model.merges"},
      {"/model/merges/0", {{"a", 1}}, "model.merges[0]: expected"},
      {"/model/merges/0", json::array({json::array({"a", "b"}), "c"}), "model.merges[0]: expected"},
      {"/model/vocab", nullptr, "model.vocab: expected an object of ids, found none"},
      {"/model/ignore_merges", "yes", "model.ignore_merges: expected true or false, found a text"},
      {"/model", json::parse(R"({"type": "Unigram", "vocab": [["a", "b"]]})"), "model.vocab[1]: expected a text and a number"},
      {"/model", json::parse(R"({"type": "Unigram", "vocab": ["a"]})"), "model.vocab[0]: expected a text and a number"},
      {"/model", json::parse(R"({"type": "Unigram", "vocab": [["a", 1, 2]]})"), "model.vocab"},
      {"/model", json::parse(R"({"type": "Unigram", "vocab": []})"), "model.vocab: expected a list of texts and numbers"},
      {"/model", json::parse(R"({"type": "Unigram", "unk_id": 9, "vocab": [["a", -1]]})"),
       "model.unk_id: expected an id below 1, found 9"},
  };
  for (const BadJson& bad : cases) {
    json document = small_json();
    document[json::json_pointer(bad.path)] = bad.value;
    const std::string message = message_of([&] { parse(document); });
    EXPECT_THAT(message, HasSubstr("file: ")) << bad.path;
    EXPECT_THAT(message, HasSubstr(bad.expected)) << bad.path;
  }
}

TEST(Base64, DecodesOrRefuses) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("//79"), "\xFF\xFE\xFD");
  for (const char* text : {"Zg=", "Zg", "Z", "Z===", "Zm9v\n", "=Zg=", "Zm-v"})
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

class BpeFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "tokenizer_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("vocab.json", R"({"<s>": 0, "</s>": 1, "<mask>": 2, "a": 3, "b": 4, "ab": 5})");
    write("merges.txt", "#version: 0.2\na b\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  TokenizerSpec read() const { return read_tokenizer_files(folder_); }
  std::string message() const {
    return message_of([&] { read(); });
  }

  std::filesystem::path folder_;
};

TEST_F(BpeFolderTest, RobertasClass) {
  write("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizerFast", "add_prefix_space": true})");
  const TokenizerSpec spec = read();
  ASSERT_EQ(std::get<BpeSpec>(spec.model).merges.size(), 1U);
  EXPECT_TRUE(std::get<ByteLevelSpec>(spec.pre_tokenizers.at(0)).add_prefix_space);
  ASSERT_EQ(spec.single.size(), 3U);
  EXPECT_EQ(spec.pair.size(), 6U);
  EXPECT_EQ(spec.single[2].id, 1);
  EXPECT_TRUE(spec.trim_offsets);
  ASSERT_EQ(spec.added_tokens.size(), 3U);
  EXPECT_TRUE(spec.added_tokens[2].lstrip) << "<mask> takes the space before it";
}

TEST_F(BpeFolderTest, Gpt2sClassWithAndWithoutBos) {
  write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  EXPECT_EQ(read().single.size(), 1U);
  write("tokenizer_config.json",
        R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": {"content": "</s>"}})");
  const TokenizerSpec spec = read();
  ASSERT_EQ(spec.single.size(), 2U);
  EXPECT_EQ(spec.single[0].id, 1);
  EXPECT_EQ(spec.added_tokens.at(0).content, "</s>");
}

TEST_F(BpeFolderTest, TheModelsConfigNamesTheKindWhereTheTokenizersDoesNot) {
  EXPECT_THAT(message(), HasSubstr("does not say which tokenizer its vocab.json is for"));
  write("config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(read().single.size(), 1U);
}

TEST_F(BpeFolderTest, BrokenFoldersAreRefused) {
  write("tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizer"})");
  EXPECT_THAT(message(), HasSubstr("tokenizer_class: the kind \"CLIPTokenizer\" is not supported with a vocab.json"));
  write("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer", "cls_token": "[CLS]"})");
  EXPECT_THAT(message(), HasSubstr("the cls_token \"[CLS]\" is not in the vocabulary"));
  write("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer"})");
  write("merges.txt", "a b\nab\n");
  EXPECT_THAT(message(), HasSubstr("merges.txt: line 2: expected two texts with one space between, found \"ab\""));
  write("merges.txt", "a b\n");
  write("vocab.json", "{}");
  EXPECT_THAT(message(), HasSubstr("vocab.json: expected an object of ids, found none"));
  write("vocab.json", "{\"a\": ");
  EXPECT_THAT(message(), HasSubstr("vocab.json: is not valid JSON"));
}

}  // namespace
}  // namespace attnviz
