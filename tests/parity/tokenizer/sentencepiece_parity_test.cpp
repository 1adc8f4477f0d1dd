// SentencePiece's world against the reference: ids of every line of corpus.jsonl for tokenizer.json files with Unigram and BPE
// models, folders with a .model file, and GGUF's kind of BPE; offsets where they are meant to be equal. Made by
// tests/reference/sentencepiece_corpus.py, which can also print what the reference says about one line (--explain VARIANT LINE).
#include <attnviz/error.h>
#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/utf8.h"
#include "corpus.h"
#include "crc32.h"
#include "formats/tokenizer/sentencepiece_model.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "kept.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string read_file(const std::string& name) {
  std::ifstream file(std::string(ATTNVIZ_TEST_DIR "/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return out;
}

void fill_charsmaps(Json* node, const std::string& charsmap) {
  if (node->is_object() && node->value("type", "") == "Precompiled") (*node)["precompiled_charsmap"] = charsmap;
  if (!node->is_structured()) return;
  for (auto& child : *node) fill_charsmaps(&child, charsmap);
}

// "left right" for every way to make a piece of two, as the reference's generate_merges.
Json merges_of(const std::vector<SpmPiece>& pieces) {
  std::map<std::string, std::size_t, std::less<>> known;
  for (std::size_t id = 0; id < pieces.size(); ++id) known.emplace(pieces[id].text, id);
  Json merges = Json::array();
  for (const SpmPiece& piece : pieces) {
    for (std::size_t split = 1; split < piece.text.size(); ++split) {
      const std::string left = piece.text.substr(0, split), right = piece.text.substr(split);
      if (known.contains(left) && known.contains(right)) merges.push_back({left, right});
    }
  }
  return merges;
}

// The tokenizer.json of a variant, with vocabulary, map and user-defined tokens of its model.
std::string complete_json(Json json, const SentencePieceModel& model) {
  fill_charsmaps(&json["normalizer"], base64(model.charsmap));
  Json& vocab = json["model"]["vocab"];
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const SpmPiece& piece = model.pieces[id];
    if (json["model"]["type"] == "Unigram") {
      vocab.push_back({piece.text, static_cast<double>(piece.score)});
    } else {
      vocab[piece.text] = id;
    }
    if (piece.type != SpmPiece::Type::kUserDefined) continue;
    json["added_tokens"].push_back({{"id", id},
                                    {"content", piece.text},
                                    {"single_word", false},
                                    {"lstrip", false},
                                    {"rstrip", false},
                                    {"normalized", false},
                                    {"special", false}});
  }
  if (json["model"]["type"] == "BPE") json["model"]["merges"] = merges_of(model.pieces);
  return json.dump();
}

class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "attnviz-sentencepiece-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const { std::ofstream(path_ / name, std::ios::binary) << bytes; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What is asked of the sentencepiece library in the reference is asked of our BPE by scores, as a GGUF file's vocabulary.
TokenizerSpec spec_of_variant(const Json& variant) {
  const std::string file = variant.at("model");
  const std::string bytes = read_file(file);
  if (variant.contains("folder")) {
    const Folder folder;
    folder.write(variant["folder"][0], bytes);
    folder.write("tokenizer_config.json", variant["folder"][1].dump());
    return read_tokenizer_files(folder.path());
  }
  const SentencePieceModel model = parse_sentencepiece_model(bytes, file);
  if (variant.contains("json")) return parse_tokenizer_json(complete_json(variant["json"], model), file);
  return make_spm_tokenizer_spec({.pieces = model.pieces}, file);
}

std::unique_ptr<Tokenizer> make_variant(const Json& variant) { return make_tokenizer(spec_of_variant(variant)); }

std::vector<Json> read_lines(const char* name) {
  std::istringstream file(read_file(name));
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

bool is_byte(std::string_view spelling) { return spelling.size() == 6 && spelling.starts_with("<0x") && spelling.ends_with(">"); }

bool from_template(const Token& token) { return token.kind == TokenKind::kSpecial && token.begin == token.end; }

// As sentencepiece_corpus.py sums up a line.
std::string sum_of(const TextInput& input, const Tokenizer& tokenizer, const std::vector<Token>& tokens) {
  std::vector<std::int32_t> numbers;
  const std::string both = input.text + input.text2.value_or("");
  bool plain = std::all_of(both.begin(), both.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
  for (const Token& token : tokens) {
    numbers.push_back(token.id);
    plain = plain && !is_byte(tokenizer.token_text(token.id));
  }
  for (const Token& token : tokens) {
    if (!plain || from_template(token) || tokenizer.token_text(token.id) == "\u2581") continue;
    numbers.push_back(static_cast<std::int32_t>(token.begin));
    numbers.push_back(static_cast<std::int32_t>(token.end));
  }
  return crc32_numbers(numbers).substr(0, 6);
}

std::string shown(const Tokenizer& tokenizer, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += fmt::format("\n  {} [{},{}) {} w{}", token.id, token.begin, token.end, tokenizer.token_text(token.id), token.word);
  }
  return text;
}

// Inside the text, on character boundaries, and never before the token to the left; one character's bytes are one word.
void expect_sound_places(const std::vector<Token>& tokens, const TextInput& input) {
  std::size_t last_begin[2] = {0, 0};
  const Token* last = nullptr;
  for (const Token& token : tokens) {
    const std::string& text = token.segment == 0 ? input.text : *input.text2;
    ASSERT_LE(token.begin, token.end);
    ASSERT_LE(token.end, text.size());
    EXPECT_GE(token.begin, last_begin[token.segment]);
    last_begin[token.segment] = token.begin;
    EXPECT_FALSE(find_invalid_utf8(text.substr(token.begin, token.end - token.begin)));
    const bool same = last != nullptr && last->kind == TokenKind::kBytes && token.kind == TokenKind::kBytes &&
                      last->segment == token.segment && last->begin == token.begin;
    if (same) {
      EXPECT_EQ(last->word, token.word);
    }
    last = &token;
  }
}

struct Variant {
  std::string name;
  Json description;
};

std::vector<Variant> read_variants() {
  std::vector<Variant> variants;
  const Json all = Json::parse(read_file("sentencepiece_variants.json"));
  for (const auto& [name, description] : all.items()) {
    variants.push_back({name, description});
  }
  return variants;
}

class SentencePieceParity : public testing::TestWithParam<std::size_t> {};

TEST_P(SentencePieceParity, EveryLineOfTheCorpus) {
  const Variant variant = read_variants()[GetParam()];
  SCOPED_TRACE(variant.name);
  const auto tokenizer = make_variant(variant.description);
  const std::vector<Json> corpus = read_lines("corpus.jsonl");
  std::istringstream golden(read_file("sentencepiece_golden.tsv"));
  ASSERT_GE(corpus.size(), 2000U);
  std::size_t n_wrong = 0;
  for (std::size_t number = 0; number < corpus.size(); ++number) {
    std::string row, expected;
    ASSERT_TRUE(std::getline(golden, row));
    std::istringstream columns(row);
    for (std::size_t i = 0; i <= GetParam(); ++i) columns >> expected;
    TextInput input{corpus[number].at(0), std::nullopt};
    if (corpus[number].size() > 1) input.text2 = corpus[number].at(1).get<std::string>();
    const std::vector<Token> tokens = tokenizer->encode(input);
    ASSERT_NO_FATAL_FAILURE(expect_sound_places(tokens, input)) << "line " << number + 1;
    if (sum_of(input, *tokenizer, tokens) == expected) continue;
    if (n_wrong++ < 3) {
      ADD_FAILURE() << "line " << number + 1 << " of corpus.jsonl: " << corpus[number].dump(-1, ' ', true)
                    << shown(*tokenizer, tokens);
    }
  }
  EXPECT_EQ(n_wrong, 0U) << "of " << corpus.size() << " lines";
}

TEST_P(SentencePieceParity, AKeptTokenizerSaysTheSame) {
  const TokenizerSpec spec = spec_of_variant(read_variants()[GetParam()].description);
  const auto kept = open_as_kept(spec);
  ASSERT_NE(kept, nullptr);
  expect_same_tokens(*make_tokenizer(spec), *kept, read_corpus());
}

// The sentencepiece library gets the pieces of a text that is a tokenizer's first one, and all of them later on.
TEST_P(SentencePieceParity, TheFirstTextIsTokenizedAsAnyOther) {
  const TokenizerSpec spec = spec_of_variant(read_variants()[GetParam()].description);
  const FlatBytes frozen = FlatBytes::of(freeze_tokenizer(spec));
  const auto used = open_tokenizer(frozen, spec.where);
  const std::vector<TextInput> corpus = read_corpus();
  for (const TextInput& input : corpus) used->encode(input);
  for (std::size_t i = 0; i < corpus.size(); i += 3) {
    const std::vector<Token> expected = used->encode(corpus[i]), found = open_tokenizer(frozen, spec.where)->encode(corpus[i]);
    ASSERT_EQ(found.size(), expected.size()) << "line " << i + 1;
    for (std::size_t t = 0; t < found.size(); ++t) ASSERT_EQ(fields_of(found[t]), fields_of(expected[t])) << "line " << i + 1;
  }
}

TEST_P(SentencePieceParity, IdsInFull) {
  const Variant variant = read_variants()[GetParam()];
  const auto tokenizer = make_variant(variant.description);
  const std::vector<Json> corpus = read_lines("corpus.jsonl");
  std::size_t n_checked = 0;
  for (const Json& row : read_lines("sentencepiece_ids.jsonl")) {
    if (row.at(1) != variant.name) continue;
    const Json& line = corpus.at(row.at(0).get<std::size_t>() - 1);
    TextInput input{line.at(0), std::nullopt};
    if (line.size() > 1) input.text2 = line.at(1).get<std::string>();
    std::vector<std::int32_t> ids;
    for (const Token& token : tokenizer->encode(input)) ids.push_back(token.id);
    EXPECT_EQ(ids, row.at(2).get<std::vector<std::int32_t>>()) << variant.name << ", line " << row.at(0);
    ++n_checked;
  }
  EXPECT_GE(n_checked, 20U);
}

INSTANTIATE_TEST_SUITE_P(All, SentencePieceParity, testing::Range<std::size_t>(0, read_variants().size()),
                         [](const auto& tested) { return read_variants()[tested.param].name; });

}  // namespace
}  // namespace attnviz
