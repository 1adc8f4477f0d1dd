// sentencepiece_folder.h: the numbering and the pipeline each tokenizer class gives a .model file, and what is refused.
#include "formats/tokenizer/sentencepiece_folder.h"

#include <attnviz/error.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sentencepiece_file.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using Type = SpmPiece::Type;

const std::vector<SpmPiece> kLlama = {{"<unk>", 0, Type::kUnknown},
                                      {"<s>", 0, Type::kControl},
                                      {"</s>", 0, Type::kControl},
                                      {"▁", -1},
                                      {"a", -2},
                                      {"▁a", -3},
                                      {"b", -4},
                                      {"▁ab", -5},
                                      {"ab", -6}};
const std::vector<SpmPiece> kT5 = {
    {"<pad>", 0, Type::kControl}, {"</s>", 0, Type::kControl}, {"<unk>", 0, Type::kUnknown}, {"▁a", -1}};
const std::string kBpe = number_field(3, 2);

class SentencePieceFolderTest : public testing::Test {
 protected:
  SentencePieceFolderTest() {
    std::string name = fs::temp_directory_path() / "attnviz-folder-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~SentencePieceFolderTest() override { fs::remove_all(folder_); }

  TokenizerSpec read(const std::string& model, const std::string& config) {
    write("tokenizer.model", model);
    write("tokenizer_config.json", config);
    return read_sentencepiece_folder(folder_, *find_sentencepiece_file(folder_));
  }
  void write(const std::string& name, const std::string& bytes) { std::ofstream(folder_ / name, std::ios::binary) << bytes; }

  void expect_refused(const std::string& model, const std::string& config, const std::string& message) {
    try {
      read(model, config);
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
    }
  }

  fs::path folder_;
};

TEST_F(SentencePieceFolderTest, FindsTheFile) {
  EXPECT_EQ(find_sentencepiece_file(folder_), std::nullopt);
  write("spiece.model", "");
  EXPECT_EQ(find_sentencepiece_file(folder_), folder_ / "spiece.model");
}

TEST_F(SentencePieceFolderTest, LlamaJoinsTheEarlierPieceFirst) {
  const TokenizerSpec spec = read(spm_file(kLlama, kBpe), R"({"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": true})");
  const auto& pieces = std::get<SpmSpec>(spec.model).pieces;
  ASSERT_EQ(pieces.size(), kLlama.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) EXPECT_EQ(pieces[id].score, -static_cast<float>(id));
  EXPECT_EQ(pieces[8].type, Type::kNormal);
  EXPECT_EQ(pieces[1].type, Type::kControl);  // "<" is not a piece, so nothing joins to "<s>"
  ASSERT_EQ(spec.single.size(), 2U);
  EXPECT_EQ(spec.single[0].id, 1);
  EXPECT_EQ(std::get<MetaspaceSpec>(spec.pre_tokenizers.at(0)).prepend, MetaspaceSpec::Prepend::kFirst);
  EXPECT_EQ(spec.added_tokens.size(), 3U);
}

TEST_F(SentencePieceFolderTest, TheFamilyNamesTheClass) {
  write("config.json", R"({"model_type": "llama"})");
  EXPECT_EQ(read(spm_file(kLlama, kBpe), R"({"legacy": true})").single.size(), 1U);
}

TEST_F(SentencePieceFolderTest, ListedTokensFollowTheVocabulary) {
  const std::string listed = R"({"tokenizer_class": "LlamaTokenizer", "pad_token": "<pad>", "added_tokens_decoder":
      {"9": {"content": "<pad>", "lstrip": true, "special": true}, "1": {"content": "<s>", "special": true}}})";
  const TokenizerSpec spec = read(spm_file(kLlama, kBpe), listed);
  ASSERT_EQ(spec.added_tokens.back().id, 9);
  EXPECT_TRUE(spec.added_tokens.back().lstrip);
  expect_refused(spm_file(kLlama, kBpe),
                 R"({"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": {"12": {"content": "<pad>", "special": true}}})",
                 "has the id 12, but the vocabulary gives it 9");
}

TEST_F(SentencePieceFolderTest, XlmRobertaCountsFromOneMore) {
  const TokenizerSpec spec = read(spm_file(kLlama), R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  const auto& pieces = std::get<UnigramSpec>(spec.model).pieces;
  ASSERT_EQ(pieces.size(), kLlama.size() + 2);
  EXPECT_EQ(pieces[1].text, "<pad>");
  EXPECT_EQ(pieces[4].text, "▁");
  EXPECT_EQ(pieces.back().text, "<mask>");
  EXPECT_EQ(spec.pair.size(), 6U);
}

TEST_F(SentencePieceFolderTest, T5HasExtraIdsBackwards) {
  const TokenizerSpec spec = read(spm_file(kT5), R"({"tokenizer_class": "T5Tokenizer", "extra_ids": 2})");
  const auto& pieces = std::get<UnigramSpec>(spec.model).pieces;
  ASSERT_EQ(pieces.size(), 6U);
  EXPECT_EQ(pieces[4].text, "<extra_id_1>");
  EXPECT_EQ(spec.single.back().id, 1);
}

TEST_F(SentencePieceFolderTest, RefusesWhatItDoesNotKnow) {
  const std::string llama = spm_file(kLlama, kBpe);
  expect_refused(llama, R"({"tokenizer_class": "XLNetTokenizer"})", "the kind \"XLNetTokenizer\" is not supported");
  expect_refused(llama, "{}", "the kind \"\" is not supported");
  expect_refused(llama, R"({"tokenizer_class": "T5Tokenizer"})", "is not a Unigram model");
  expect_refused(spm_file(kT5), R"({"tokenizer_class": "LlamaTokenizer"})", "is not a BPE model");
  expect_refused(spm_file(kLlama), R"({"tokenizer_class": "T5Tokenizer"})", "its piece 2 is not the unknown token");
  expect_refused(spm_file(kT5), R"({"tokenizer_class": "AlbertTokenizer"})", "its piece 1 is not the unknown token");
  expect_refused(spm_file(kT5), R"({"tokenizer_class": "T5Tokenizer", "extra_ids": 100000})", "expected at most 1000");
  expect_refused(spm_file({{"a"}}), R"({"tokenizer_class": "XLMRobertaTokenizer"})", "fewer than the three special pieces");
  expect_refused(spm_file(kLlama, kBpe + number_field(24, 1)), R"({"tokenizer_class": "LlamaTokenizer"})", "spaces after words");
  expect_refused("no model", R"({"tokenizer_class": "LlamaTokenizer"})", "expected a SentencePiece model");
}

}  // namespace
}  // namespace attnviz
