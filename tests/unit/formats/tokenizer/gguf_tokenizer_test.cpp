// The tokenizer inside a GGUF file: each kind as the pipeline it stands for, and what is refused by name.
#include "formats/tokenizer/gguf_tokenizer.h"

#include <attnviz/error.h>

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/gguf/gguf.h"
#include "unit/formats/gguf/gguf_writer.h"

namespace attnviz {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kLow = "\xE2\x96\x81";

TokenizerSpec read(const std::vector<std::string>& pairs) {
  GgufParts parts;
  parts.pairs = pairs;
  const std::string bytes = gguf_file(parts);
  return read_gguf_tokenizer(parse_gguf(std::as_bytes(std::span(bytes.data(), bytes.size())), "m.gguf").metadata);
}

std::string message_of(const std::vector<std::string>& pairs) {
  try {
    read(pairs);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

std::string key(const std::string& name) { return "tokenizer.ggml." + name; }

std::vector<std::string> byte_level(const std::string& pre, std::vector<std::string> more = {}) {
  std::vector<std::string> pairs = {pair_text(key("model"), "gpt2"), pair_texts(key("tokens"), {"<s>", "a", "b", "ab", "<u>"}),
                                    pair_numbers<std::int32_t>(key("token_type"), 5, {3, 1, 1, 1, 4}),
                                    pair_texts(key("merges"), {"a b"}), pair_u32(key("bos_token_id"), 0)};
  if (!pre.empty()) pairs.push_back(pair_text(key("pre"), pre));
  pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

std::vector<std::string> pieces(std::vector<std::string> more = {}) {
  std::vector<std::string> pairs = {
      pair_text(key("model"), "llama"),
      pair_texts(key("tokens"), {"<unk>", "<s>", "</s>", "<0x0A>", kLow, "a", "b", "ab", kLow + "ab", "  "}),
      pair_numbers<float>(key("scores"), 6, {0, 0, 0, 0, -9, -10, -11, -2, -1, 0}),
      pair_numbers<std::int32_t>(key("token_type"), 5, {2, 3, 3, 6, 1, 1, 1, 1, 1, 4})};
  pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

std::vector<std::string> texts_of(const std::vector<TemplatePiece>& pieces) {
  std::vector<std::string> texts;
  for (const TemplatePiece& piece : pieces) {
    texts.push_back(piece.what == TemplatePiece::What::kSpecial ? piece.token
                    : piece.what == TemplatePiece::What::kFirst ? "1"
                                                                : "2");
  }
  return texts;
}

TEST(GgufTokenizer, ByteLevelVocabularyMergesAndMarkedTokens) {
  const TokenizerSpec spec = read(byte_level("smollm"));
  const auto& bpe = std::get<BpeSpec>(spec.model);
  EXPECT_THAT(bpe.vocab, ElementsAre("<s>", "a", "b", "ab", "<u>"));
  ASSERT_EQ(bpe.merges.size(), 1U);
  EXPECT_EQ(bpe.merges[0].pair, "ab");
  EXPECT_EQ(bpe.merges[0].left, 1U);
  EXPECT_FALSE(bpe.ignore_merges);
  ASSERT_EQ(spec.added_tokens.size(), 2U);
  EXPECT_EQ(spec.added_tokens[0].content, "<s>");
  EXPECT_TRUE(spec.added_tokens[0].special);
  EXPECT_EQ(spec.added_tokens[1].id, 4);
  EXPECT_FALSE(spec.added_tokens[1].special);
  ASSERT_EQ(spec.pre_tokenizers.size(), 2U);
  EXPECT_TRUE(std::get<DigitsSpec>(spec.pre_tokenizers[0]).individual);
  EXPECT_FALSE(std::get<ByteLevelSpec>(spec.pre_tokenizers[1]).add_prefix_space);
  EXPECT_THAT(texts_of(spec.single), ElementsAre("1"));  // this kind adds no BOS unless it says so
}

TEST(GgufTokenizer, PreNamesThePattern) {
  EXPECT_EQ(read(byte_level("gpt-2")).pre_tokenizers.size(), 1U);
  const TokenizerSpec llama = read(byte_level("llama-bpe"));
  EXPECT_TRUE(std::get<BpeSpec>(llama.model).ignore_merges);
  EXPECT_THAT(std::get<SplitSpec>(llama.pre_tokenizers.at(0)).pattern.text, HasSubstr("\\p{N}{1,3}"));
  EXPECT_FALSE(std::get<ByteLevelSpec>(llama.pre_tokenizers.at(1)).use_regex);
  EXPECT_THAT(texts_of(llama.single), ElementsAre("<s>", "1"));
  const TokenizerSpec qwen = read(byte_level("qwen2"));
  EXPECT_EQ(qwen.normalizers.size(), 1U);
  EXPECT_THAT(std::get<SplitSpec>(qwen.pre_tokenizers.at(0)).pattern.text, HasSubstr("|\\p{N}|"));
  EXPECT_EQ(read(byte_level("")).pre_tokenizers.size(), 5U);
  EXPECT_THAT(message_of(byte_level("deepseek-v9")), AllOf(HasSubstr("\"deepseek-v9\" is not supported"), HasSubstr("smollm")));
}

TEST(GgufTokenizer, BosAndEosWhereTheFileSaysSo) {
  const TokenizerSpec spec = read(byte_level(
      "gpt-2", {pair_flag(key("add_bos_token"), true), pair_flag(key("add_eos_token"), true), pair_u32(key("eos_token_id"), 4)}));
  EXPECT_THAT(texts_of(spec.single), ElementsAre("<s>", "1", "<u>"));
  EXPECT_THAT(texts_of(spec.pair), ElementsAre("<s>", "1", "<u>", "<s>", "2", "<u>"));
  EXPECT_THAT(texts_of(read(byte_level("llama-bpe", {pair_flag(key("add_bos_token"), false)})).single), ElementsAre("1"));
}

std::vector<std::string> piece_names(const TokenizerSpec& spec) {
  std::vector<std::string> names;
  for (const SpmPiece& piece : std::get<SpmSpec>(spec.model).pieces) {
    names.push_back(fmt::format("{}:{}:{}", piece.text, piece.score, static_cast<int>(piece.type)));
  }
  return names;
}

TEST(GgufTokenizer, SentencePiecesKeepScoresAndTypes) {
  const TokenizerSpec spec = read(pieces());
  EXPECT_THAT(piece_names(spec), ElementsAre("<unk>:0:2", "<s>:0:3", "</s>:0:3", "<0x0A>:0:6", kLow + ":-9:1", "a:-10:1", "b:-11:1",
                                             "ab:-2:1", kLow + "ab:-1:1", "  :0:4"));
  ASSERT_EQ(spec.added_tokens.size(), 3U);  // user-defined pieces are the model's own matter
  EXPECT_EQ(spec.added_tokens[2].content, "</s>");
  ASSERT_EQ(spec.normalizers.size(), 2U);
  EXPECT_EQ(std::get<PrependSpec>(spec.normalizers[0]).text, " ");
  EXPECT_TRUE(spec.pre_tokenizers.empty());
  EXPECT_THAT(texts_of(spec.single), ElementsAre("<s>", "1"));
  EXPECT_THAT(texts_of(read(pieces({pair_flag(key("add_bos_token"), false), pair_flag(key("add_eos_token"), true)})).single),
              ElementsAre("1", "</s>"));
  EXPECT_EQ(read(pieces({pair_flag(key("add_space_prefix"), false)})).normalizers.size(), 1U);
  EXPECT_EQ(read(pieces({pair_flag(key("remove_extra_whitespaces"), true)})).normalizers.size(), 4U);
}

TEST(GgufTokenizer, WithoutTypesNamesSayWhichPiecesAreBytes) {
  const TokenizerSpec spec =
      read({pair_text(key("model"), "llama"), pair_texts(key("tokens"), {"a", "<0x0A>", "?"}), pair_u32(key("unknown_token_id"), 2),
            pair_u32(key("bos_token_id"), 0), pair_numbers<float>(key("scores"), 6, {-1, 0, 0})});
  EXPECT_THAT(piece_names(spec), ElementsAre("a:-1:1", "<0x0A>:0:6", "?:0:2"));
}

TEST(GgufTokenizer, WordPiecesAreSpelledAsBertDoes) {
  const std::vector<std::string> pairs = {
      pair_text(key("model"), "bert"), pair_texts(key("tokens"), {"[UNK]", "[CLS]", "[SEP]", kLow + "the", "ing", kLow + "["}),
      pair_u32(key("unknown_token_id"), 0), pair_u32(key("cls_token_id"), 1), pair_u32(key("seperator_token_id"), 2)};
  const TokenizerSpec spec = read(pairs);
  EXPECT_THAT(std::get<WordPieceSpec>(spec.model).vocab, ElementsAre("[UNK]", "[CLS]", "[SEP]", "the", "##ing", "["));
  EXPECT_TRUE(std::get<BertNormalizerSpec>(spec.normalizers.at(0)).lowercase);
  EXPECT_THAT(texts_of(spec.pair), ElementsAre("[CLS]", "1", "[SEP]", "2", "[SEP]"));
  EXPECT_EQ(spec.pair.back().segment, 1);
}

TEST(GgufTokenizer, WhatIsWrongIsNamed) {
  EXPECT_THAT(message_of({}), HasSubstr("\"tokenizer.ggml.model\": is missing"));
  EXPECT_THAT(message_of({pair_text(key("model"), "rwkv")}), HasSubstr("\"rwkv\" is not supported; expected gpt2, llama or bert"));
  EXPECT_THAT(message_of({pair_text(key("model"), "gpt2")}), HasSubstr("holds no tokenizer"));
  EXPECT_THAT(message_of({pair_text(key("model"), "gpt2"), pair_texts(key("tokens"), {"a"})}), HasSubstr("merges"));
  EXPECT_THAT(message_of({pair_text(key("model"), "gpt2"), pair_texts(key("tokens"), {"a"}), pair_texts(key("merges"), {"ab"})}),
              HasSubstr("expected two pieces with a space between them, found \"ab\""));
  EXPECT_THAT(message_of({pair_text(key("model"), "llama"), pair_texts(key("tokens"), {"a", "b"}),
                          pair_numbers<float>(key("scores"), 6, {1})}),
              HasSubstr("expected 2 entries, one for each token, found 1"));
  EXPECT_THAT(message_of({pair_text(key("model"), "llama"), pair_texts(key("tokens"), {"a", "b"}),
                          pair_numbers<float>(key("scores"), 6, {1, std::numeric_limits<float>::infinity()})}),
              HasSubstr("the score of token 1 is not a finite number"));
  EXPECT_THAT(message_of({pair_text(key("model"), "gpt2"), pair_texts(key("tokens"), {"\xff"})}), HasSubstr("is not UTF-8"));
  EXPECT_THAT(message_of(byte_level("gpt-2", {pair_flag(key("add_eos_token"), true), pair_u32(key("eos_token_id"), 5)})),
              HasSubstr("expected an id below 5"));
  EXPECT_THAT(message_of(pieces({pair_u32(key("unknown_token_id"), 99)})), HasSubstr("expected an id below 10"));
}

}  // namespace
}  // namespace attnviz
