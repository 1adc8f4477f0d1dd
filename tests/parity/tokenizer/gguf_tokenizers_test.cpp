// The vocabularies inside GGUF files against the tokenizers they were made from: ids of every line of corpus.jsonl must be equal.
// Made by tests/reference/gguf_tokenizers.py, which can also print what the reference says about one line (--explain NAME LINE).
#include <attnviz/token.h>

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "corpus.h"
#include "crc32.h"
#include "formats/gguf/gguf.h"
#include "formats/tokenizer/gguf_tokenizer.h"
#include "kept.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMinLines = 2500;
constexpr const char* kFolder = ATTNVIZ_TEST_DIR "/gguf/";

TokenizerSpec spec_of(const std::string& name) {
  const std::string path = kFolder + name + ".gguf";
  const std::string bytes = read_text_file(path, 1 << 20, ErrorKind::kModel);
  return read_gguf_tokenizer(parse_gguf(std::as_bytes(std::span(bytes.data(), bytes.size())), path).metadata);
}

std::unique_ptr<Tokenizer> tokenizer_of(const std::string& name) { return make_tokenizer(spec_of(name)); }

std::vector<std::string> names_of_files() {
  std::ifstream file(std::string(kFolder) + "ids.tsv");
  std::string line;
  std::getline(file, line);
  return columns_of(line);
}

std::vector<std::int32_t> ids_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

TEST(GgufTokenizers, EveryKindIsThere) {
  const std::vector<std::string> expected = {"llama", "llama_merges", "bert", "bert_cased", "gpt2", "llama3", "qwen2", "smollm"};
  EXPECT_EQ(names_of_files(), expected);
}

class GgufTokenizerParity : public testing::TestWithParam<std::size_t> {};

TEST_P(GgufTokenizerParity, IdsOfEveryLine) {
  const std::string name = names_of_files().at(GetParam());
  const auto tokenizer = tokenizer_of(name);
  const std::vector<TextInput> corpus = read_corpus();
  ASSERT_GE(corpus.size(), kMinLines);
  std::ifstream file(std::string(kFolder) + "ids.tsv");
  std::string line;
  std::getline(file, line);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    ASSERT_TRUE(std::getline(file, line));
    const std::vector<Token> tokens = tokenizer->encode(corpus[i]);
    if (crc32_numbers(ids_of(tokens)) == columns_of(line).at(GetParam())) continue;
    if (n_wrong++ > 0) continue;
    std::string found;
    for (const Token& token : tokens) found += fmt::format(" {}:{}", token.id, tokenizer->token_text(token.id));
    ADD_FAILURE() << "line " << i + 1 << " of corpus.jsonl: found" << found;
  }
  EXPECT_EQ(n_wrong, 0U) << "of " << corpus.size() << " lines";
}

TEST_P(GgufTokenizerParity, AKeptTokenizerSaysTheSame) {
  const std::string name = names_of_files().at(GetParam());
  const auto kept = open_as_kept(spec_of(name));
  ASSERT_NE(kept, nullptr);
  expect_same_tokens(*tokenizer_of(name), *kept, read_corpus());
}

TEST_P(GgufTokenizerParity, IdsToRead) {
  const std::string name = names_of_files().at(GetParam());
  const auto tokenizer = tokenizer_of(name);
  const std::vector<TextInput> corpus = read_corpus();
  std::ifstream file(std::string(kFolder) + "ids.jsonl");
  std::size_t n_lines = 0;
  for (std::string line; std::getline(file, line); ++n_lines) {
    const Json row = Json::parse(line);
    const std::size_t number = row.at(0);
    EXPECT_EQ(ids_of(tokenizer->encode(corpus.at(number - 1))), row.at(1).at(name).get<std::vector<std::int32_t>>())
        << "line " << number;
  }
  EXPECT_GE(n_lines, 60U);
}

INSTANTIATE_TEST_SUITE_P(All, GgufTokenizerParity, testing::Range<std::size_t>(0, names_of_files().size()),
                         [](const auto& tested) { return names_of_files()[tested.param]; });

}  // namespace
}  // namespace attnviz
