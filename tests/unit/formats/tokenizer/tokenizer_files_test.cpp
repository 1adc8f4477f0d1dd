// tokenizer_files.h: tokenizer.json and vocab.txt folders, what is read from each, and every way such a file can be broken or of
// another kind, with the message it gets.
#include "formats/tokenizer/tokenizer_files.h"

#include <attnviz/error.h>

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

namespace attnviz {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using What = TemplatePiece::What;

json special_token(int id, const std::string& content) {
  return {{"id", id},        {"content", content}, {"special", true},    {"single_word", false},
          {"lstrip", false}, {"rstrip", false},    {"normalized", false}};
}

json piece(const std::string& kind, const std::string& id, int type) { return {{kind, {{"id", id}, {"type_id", type}}}}; }

// A small tokenizer.json of BERT's kind.
json small_json() {
  const json cls = piece("SpecialToken", "[CLS]", 0), sep = piece("SpecialToken", "[SEP]", 0), first = piece("Sequence", "A", 0);
  return {
      {"version", "1.0"},
      {"truncation", {{"max_length", 128}, {"strategy", "LongestFirst"}, {"stride", 0}}},
      {"padding", {{"strategy", {{"Fixed", 128}}}}},
      {"added_tokens", {special_token(0, "[UNK]"), special_token(1, "[CLS]"), special_token(2, "[SEP]")}},
      {"normalizer",
       {{"type", "BertNormalizer"},
        {"clean_text", true},
        {"handle_chinese_chars", false},
        {"strip_accents", nullptr},
        {"lowercase", true}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {cls, first, sep}},
        {"pair", {cls, first, sep, piece("Sequence", "B", 1), piece("SpecialToken", "[SEP]", 1)}},
        {"special_tokens",
         {{"[CLS]", {{"id", "[CLS]"}, {"ids", {1}}, {"tokens", {"[CLS]"}}}},
          {"[SEP]", {{"id", "[SEP]"}, {"ids", {2}}, {"tokens", {"[SEP]"}}}}}}}},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", "[UNK]"},
        {"continuing_subword_prefix", "##"},
        {"max_input_chars_per_word", 100},
        {"vocab", {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"a", 3}, {"##b", 4}}}}},
  };
}

// "[CLS]:1:0 A:0 [SEP]:2:0"
std::string text_of(const std::vector<TemplatePiece>& pieces) {
  std::string text;
  for (const TemplatePiece& part : pieces) {
    if (!text.empty()) text += " ";
    if (part.what == What::kSpecial) text.append(part.token).append(":").append(std::to_string(part.id));
    if (part.what == What::kFirst) text += "A";
    if (part.what == What::kSecond) text += "B";
    text.append(":").append(std::to_string(part.segment));
  }
  return text;
}

const WordPieceSpec& word_piece(const TokenizerSpec& spec) { return std::get<WordPieceSpec>(spec.model); }
const BertNormalizerSpec& bert(const TokenizerSpec& spec) { return std::get<BertNormalizerSpec>(spec.normalizers.at(0)); }

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

std::string message_of_text(const std::string& text) {
  return message_of([&] { parse_tokenizer_json(text, "file"); });
}

TEST(TokenizerJson, ReadsBertsKind) {
  const TokenizerSpec spec = parse(small_json());
  EXPECT_EQ(spec.where, "file");
  EXPECT_THAT(word_piece(spec).vocab, ElementsAre("[UNK]", "[CLS]", "[SEP]", "a", "##b"));
  EXPECT_EQ(word_piece(spec).unknown, "[UNK]");
  EXPECT_EQ(word_piece(spec).continuing_prefix, "##");
  EXPECT_EQ(word_piece(spec).max_characters_per_word, 100U);
  EXPECT_TRUE(bert(spec).clean_text);
  EXPECT_FALSE(bert(spec).handle_chinese_chars);
  EXPECT_FALSE(bert(spec).strip_accents.has_value());
  EXPECT_TRUE(bert(spec).lowercase);
  EXPECT_EQ(spec.added_tokens.size(), 3U);
  EXPECT_TRUE(spec.added_tokens[1].special);
  EXPECT_EQ(text_of(spec.single), "[CLS]:1:0 A:0 [SEP]:2:0");
  EXPECT_EQ(text_of(spec.pair), "[CLS]:1:0 A:0 [SEP]:2:0 B:1 [SEP]:2:1");
}

TEST(TokenizerJson, OtherPostProcessors) {
  json document = small_json();
  document["post_processor"] = {{"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}};
  EXPECT_EQ(text_of(parse(document).pair), "[CLS]:1:0 A:0 [SEP]:2:0 B:1 [SEP]:2:1");
  document["post_processor"] = {{"type", "RobertaProcessing"},
                                {"sep", {"[SEP]", 2}},
                                {"cls", {"[CLS]", 1}},
                                {"trim_offsets", true},
                                {"add_prefix_space", false}};
  EXPECT_EQ(text_of(parse(document).single), "[CLS]:1:0 A:0 [SEP]:2:0");
  EXPECT_EQ(text_of(parse(document).pair), "[CLS]:1:0 A:0 [SEP]:2:0 [SEP]:2:0 B:0 [SEP]:2:0");
  EXPECT_TRUE(parse(document).trim_offsets);
  document["post_processor"] = nullptr;
  EXPECT_EQ(text_of(parse(document).pair), "A:0 B:1");
}

TEST(TokenizerJson, SequencesOfOneAndNoNormalizer) {
  json document = small_json();
  document["normalizer"] = {{"type", "Sequence"}, {"normalizers", json::array({document["normalizer"]})}};
  document["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", json::array({document["pre_tokenizer"]})}};
  EXPECT_TRUE(bert(parse(document)).lowercase);
  document["normalizer"] = nullptr;
  EXPECT_TRUE(parse(document).normalizers.empty());
}

TEST(TokenizerJson, AddedTokensAfterTheVocabulary) {
  json document = small_json();
  document["added_tokens"].push_back(special_token(5, "[E1]"));
  json flags = special_token(6, "new");
  flags["special"] = false;
  for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) flags[flag] = true;
  document["added_tokens"].push_back(flags);
  document["added_tokens"].push_back(special_token(9, ""));  // without text: ignored, as in the reference
  const TokenizerSpec spec = parse(document);
  ASSERT_EQ(spec.added_tokens.size(), 5U);
  const AddedTokenSpec& added = spec.added_tokens[4];
  EXPECT_TRUE(added.single_word && added.lstrip && added.rstrip && added.normalized);
  EXPECT_FALSE(added.special);
  EXPECT_EQ(added.id, 6);
}

TEST(TokenizerJson, HolesInTheNumberingStay) {
  json document = small_json();
  document["model"]["vocab"]["c"] = 7;
  EXPECT_THAT(word_piece(parse(document)).vocab, ElementsAre("[UNK]", "[CLS]", "[SEP]", "a", "##b", "", "", "c"));
}

TEST(TokenizerJson, OtherKindsAreRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}})", "model: the kind \"WordLevel\" is not supported"},
      {R"({"model":{"vocab":{"a":0}}})", "model: the kind \"without a type\" is not supported"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(message_of_text(text), HasSubstr(expected));
}

struct BadJson {
  std::string path;  // JSON pointer of what is changed
  json value;
  std::string expected;
};

TEST(TokenizerJson, EveryBrokenPlaceIsNamed) {
  const std::vector<BadJson> cases = {
      {"/normalizer/type", "Nmt", "normalizer: the kind \"Nmt\" is not supported"},
      {"/normalizer/lowercase", "yes", "normalizer.lowercase: expected true or false, found a text"},
      {"/normalizer/clean_text", nullptr, "normalizer.clean_text: expected true or false, found nothing"},
      {"/pre_tokenizer/type", "UnicodeScripts", "pre_tokenizer: the kind \"UnicodeScripts\" is not supported"},
      {"/pre_tokenizer/type", "ByteLevel", "pre_tokenizer.add_prefix_space: expected true or false, found nothing"},
      {"/post_processor/type", "Other", "post_processor: the kind \"Other\" is not supported"},
      {"/post_processor/special_tokens", json::object(), "the token \"[CLS]\" is not among post_processor.special_tokens"},
      {"/post_processor/special_tokens/[CLS]/ids", {1, 2}, "post_processor.special_tokens.[CLS]: has 2 ids and 1 tokens"},
      {"/post_processor/single/1/Sequence/id", "C", "post_processor.single[1].Sequence: expected \"A\" or \"B\", found \"C\""},
      {"/post_processor/single/1", "$A", "post_processor.single[1]: expected an object, found a text"},
      {"/post_processor/single", 3, "post_processor.single: expected a list, found a whole number"},
      {"/model/unk_token", nullptr, "model.unk_token: expected a text, found nothing"},
      {"/model/max_input_chars_per_word", -1, "model.max_input_chars_per_word: expected a whole number, found a number"},
      {"/model/vocab", json::array({"a"}), "model.vocab[0]: expected a text and a number"},
      {"/model/vocab", json::object(), "model.vocab: expected an object of ids"},
      {"/model/vocab/a", "3", "model.vocab: \"a\" has no id"},
      {"/model/vocab/a", -3, "model.vocab: \"a\" has no id"},
      {"/model/vocab/a", 3.5, "model.vocab: \"a\" has no id"},
      {"/model/vocab/a", {{"b", 1}}, "model.vocab: \"a\" has no id"},
      {"/model/vocab/a", 2147483646, "model.vocab: \"a\" has the id 2147483646"},
      {"/model/vocab/a", 18446744073709551615U, "model.vocab: \"a\" has the id 18446744073709551615"},
      {"/model/vocab/a", 4, "have the same id 4"},
      {"/model", 7, "model: expected an object, found a whole number"},
      {"/added_tokens/0/id", "0", "added_tokens[0].id: expected a whole number, found a text"},
      {"/added_tokens/0/id", 4294967296, "added_tokens[0].id: expected an id, found 4294967296"},
      {"/added_tokens/0/id", 3, "the added token \"[UNK]\" has the id 3, which is \"a\" in the vocabulary"},
      {"/added_tokens/0/id", 5, "the added token \"[UNK]\" has the id 5, but the vocabulary holds it under another"},
      {"/added_tokens/3", special_token(9, "new"), "the added token \"new\" has the id 9, expected 5, the next one"},
      {"/added_tokens/3", special_token(2, "[SEP]"), "the added token \"[SEP]\" has the id 2, and is listed twice"},
      {"/added_tokens/0/lstrip", 1, "added_tokens[0].lstrip: expected true or false, found a whole number"},
      {"/added_tokens", "none", "added_tokens: expected a list, found a text"},
  };
  for (const BadJson& bad : cases) {
    json document = small_json();
    document[json::json_pointer(bad.path)] = bad.value;
    EXPECT_THAT(message_of([&] { parse(document); }), AllOf(HasSubstr("file: "), HasSubstr(bad.expected))) << bad.path;
  }
}

TEST(TokenizerJson, WhatIsNotJsonIsRefusedWithItsPlace) {
  EXPECT_THAT(message_of_text(""), HasSubstr("file: is not valid JSON at byte"));
  EXPECT_THAT(message_of_text("[1, 2"), HasSubstr("file: is not valid JSON at byte 6"));
  EXPECT_THAT(message_of_text("{\"a\": NaN}"), HasSubstr("is not valid JSON at byte 7"));
  EXPECT_THAT(message_of_text("{\"a\": \"\xff\"}"), HasSubstr("is not valid JSON at byte 8"));
  EXPECT_THAT(message_of_text("{\"a\": \"\\ud800\"}"), HasSubstr("is not valid JSON"));
  EXPECT_THAT(message_of_text("[1, 2]"), HasSubstr("expected an object, found a list"));
  EXPECT_THAT(message_of_text("{\"a\": 1, \"b\": 2, \"a\": 3}"), HasSubstr("has the key \"a\" twice"));
  EXPECT_THAT(message_of_text(std::string(100000, '[')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(message_of_text("{\"model\":" + std::string(100000, '[')), HasSubstr("nested deeper than 64 levels"));
  std::string many = "[";
  for (int i = 0; i < 500'001; ++i) many += "0,";
  EXPECT_THAT(message_of_text(many + "0]"), HasSubstr("more than 500000 values"));
  const std::string cut = small_json().dump();
  for (std::size_t n = 0; n < cut.size(); n += 7) EXPECT_THAT(message_of_text(cut.substr(0, n)), HasSubstr("is not valid JSON"));
}

// A folder of its own for each test, removed at the end.
class TokenizerFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "tokenizer_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  void write(const std::string& name, const json& document) { write(name, document.dump()); }
  TokenizerSpec read() const { return read_tokenizer_files(folder_); }
  std::string message() const {
    return message_of([&] { read(); });
  }

  std::filesystem::path folder_;
};

const char* const kVocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";

TEST_F(TokenizerFolder, TokenizerJsonComesFirst) {
  write("tokenizer.json", small_json());
  write("vocab.txt", std::string("other\n"));
  EXPECT_EQ(word_piece(read()).vocab.size(), 5U);
  EXPECT_EQ(read().where, (folder_ / "tokenizer.json").string());
}

TEST_F(TokenizerFolder, ExplicitSettingsOfABertClassWin) {
  write("tokenizer.json", small_json());
  write("tokenizer_config.json", {{"tokenizer_class", "BertTokenizerFast"}, {"do_lower_case", false}, {"strip_accents", true}});
  EXPECT_FALSE(bert(read()).lowercase);
  EXPECT_EQ(bert(read()).strip_accents, true);
  EXPECT_FALSE(bert(read()).handle_chinese_chars) << "not said there";
  write("tokenizer_config.json", {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"do_lower_case", false}});
  EXPECT_TRUE(bert(read()).lowercase);
}

TEST_F(TokenizerFolder, VocabAlone) {
  write("vocab.txt", std::string(kVocab));
  const TokenizerSpec spec = read();
  EXPECT_THAT(word_piece(spec).vocab, ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b"));
  EXPECT_TRUE(bert(spec).lowercase);
  EXPECT_EQ(text_of(spec.single), "[CLS]:2:0 A:0 [SEP]:3:0");
  EXPECT_EQ(text_of(spec.pair), "[CLS]:2:0 A:0 [SEP]:3:0 B:1 [SEP]:3:1");
  EXPECT_EQ(spec.added_tokens.size(), 5U);
  for (const AddedTokenSpec& token : spec.added_tokens) EXPECT_TRUE(token.special && !token.normalized && !token.lstrip);
}

TEST_F(TokenizerFolder, VocabLines) {
  write("vocab.txt", std::string("[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n\r\nb\r\na\r\nlast"));
  // An empty line is an entry; of "a" the last counts.
  EXPECT_THAT(word_piece(read()).vocab, ElementsAre("[UNK]", "[CLS]", "[SEP]", "", "", "b", "a", "last"));
}

TEST_F(TokenizerFolder, VocabWithSettings) {
  write("vocab.txt", std::string("<u>\n<c>\n<e>\n<m>\na\n"));
  write("tokenizer_config.json", {{"tokenizer_class", "DistilBertTokenizer"},
                                  {"do_lower_case", false},
                                  {"strip_accents", false},
                                  {"tokenize_chinese_chars", false},
                                  {"unk_token", "<u>"},
                                  {"cls_token", {{"content", "<c>"}, {"lstrip", false}}},
                                  {"additional_special_tokens", {"a", "absent"}}});
  write("special_tokens_map.json",
        {{"sep_token", "<e>"}, {"mask_token", {{"content", "<m>"}, {"lstrip", true}, {"rstrip", false}}}});
  write("added_tokens.json", {{"second", 6}, {"first", 5}});
  const TokenizerSpec spec = read();
  EXPECT_FALSE(bert(spec).lowercase);
  EXPECT_EQ(bert(spec).strip_accents, false);
  EXPECT_FALSE(bert(spec).handle_chinese_chars);
  EXPECT_EQ(word_piece(spec).unknown, "<u>");
  EXPECT_EQ(text_of(spec.single), "<c>:1:0 A:0 <e>:2:0");
  std::vector<std::string> names;
  for (const AddedTokenSpec& token : spec.added_tokens) names.push_back(token.content);
  EXPECT_THAT(names, ElementsAre("<u>", "<c>", "<e>", "<m>", "a", "first", "second"));
  EXPECT_TRUE(spec.added_tokens[3].lstrip);
  EXPECT_TRUE(spec.added_tokens[6].normalized);
  EXPECT_FALSE(spec.added_tokens[6].special);
}

TEST_F(TokenizerFolder, AddedTokensDecoder) {
  write("vocab.txt", std::string(kVocab));
  json config = {{"tokenizer_class", "BertTokenizer"}, {"mask_token", "[MASK]"}};
  config["added_tokens_decoder"]["4"] = {{"content", "[MASK]"}, {"rstrip", true}, {"special", true}, {"normalized", false}};
  config["added_tokens_decoder"]["7"] = {{"content", "[E1]"}, {"special", false}, {"normalized", true}};
  write("tokenizer_config.json", config);
  const TokenizerSpec spec = read();
  ASSERT_EQ(spec.added_tokens.size(), 6U);
  EXPECT_TRUE(spec.added_tokens[4].rstrip);
  EXPECT_EQ(spec.added_tokens[5].content, "[E1]");
  EXPECT_TRUE(spec.added_tokens[5].normalized);
}

TEST_F(TokenizerFolder, MpnetHasItsOwnTemplate) {
  write("vocab.txt", std::string("<s>\n<pad>\n</s>\n<unk>\na\n[UNK]\n<mask>\n"));
  write("tokenizer_config.json", {{"tokenizer_class", "MPNetTokenizer"}});
  const TokenizerSpec spec = read();
  EXPECT_EQ(text_of(spec.single), "<s>:0:0 A:0 </s>:2:0");
  EXPECT_EQ(text_of(spec.pair), "<s>:0:0 A:0 </s>:2:0 </s>:2:0 B:0 </s>:2:0");
  EXPECT_TRUE(spec.added_tokens.back().lstrip) << "<mask> takes the space before it";
  EXPECT_TRUE(spec.trim_offsets);
}

TEST_F(TokenizerFolder, BrokenFoldersAreRefused) {
  EXPECT_THAT(message(), HasSubstr("has no tokenizer; expected tokenizer.json, vocab.txt, vocab.json"));
  write("vocab.txt", std::string("[UNK]\na\n"));
  EXPECT_THAT(message(), HasSubstr("the cls_token \"[CLS]\" is not in the vocabulary of 2 entries"));
  write("vocab.txt", std::string(kVocab));
  write("added_tokens.json", {{"new", 12}});
  EXPECT_THAT(message(), HasSubstr("the added token \"new\" has the id 12, expected 7"));
  write("added_tokens.json", {{"new", "x"}});
  EXPECT_THAT(message(), AllOf(HasSubstr("added_tokens.json: new: expected a whole number")));
  write("added_tokens.json", std::string("{"));
  EXPECT_THAT(message(), HasSubstr("added_tokens.json: is not valid JSON"));
  std::filesystem::remove(folder_ / "added_tokens.json");
  write("tokenizer_config.json", {{"tokenizer_class", "BertJapaneseTokenizer"}});
  EXPECT_THAT(message(), HasSubstr("tokenizer_class: the kind \"BertJapaneseTokenizer\" is not supported"));
  write("tokenizer_config.json", {{"do_lower_case", "no"}});
  EXPECT_THAT(message(), HasSubstr("do_lower_case: expected true or false, found a text"));
  write("tokenizer_config.json", {{"added_tokens_decoder", {{"x", {{"content", "y"}}}}}});
  EXPECT_THAT(message(), HasSubstr("added_tokens_decoder.x: expected an id as the key"));
  write("tokenizer_config.json", {{"cls_token", 3}});
  EXPECT_THAT(message(), HasSubstr("cls_token: expected an object, found a whole number"));
  std::filesystem::create_directory(folder_ / "tokenizer.json");
  EXPECT_THAT(message(), HasSubstr("is a folder"));
}

TEST_F(TokenizerFolder, VocabThatIsNotTextIsRefused) {
  write("vocab.txt", std::string(kVocab) + "caf\xe9\n");
  EXPECT_THAT(message(), HasSubstr("vocab.txt: line 8 is not UTF-8"));
}

}  // namespace
}  // namespace attnviz
