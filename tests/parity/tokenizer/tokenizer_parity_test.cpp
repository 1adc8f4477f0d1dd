// The WordPiece tokenizer against the reference tokenizers library: ids, types, offsets and words of every line of corpus.jsonl
// must be equal, for the default model's tokenizer and for variants of it. Made by tests/reference/tokenizer_corpus.py, which can
// also print what the reference says about one line (--explain VARIANT LINE).
#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "crc32.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

using Json = nlohmann::json;
using What = TemplatePiece::What;

constexpr std::size_t kMinLines = 2000;

std::vector<Json> read_corpus() {
  std::ifstream file(ATTNVIZ_TEST_DIR "/corpus.jsonl");
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

// A line of golden.tsv.
struct Golden {
  std::vector<std::int32_t> ids;
  std::string sum;                  // of ids, types and offsets
  std::string words;                // "-": not comparable
  std::vector<std::string> others;  // sums of the other variants
};

std::vector<Golden> read_golden() {
  std::ifstream file(ATTNVIZ_TEST_DIR "/golden.tsv");
  std::vector<Golden> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream columns(line);
    Golden golden;
    std::string ids;
    std::getline(columns, ids, '\t');
    std::istringstream id_stream(ids);
    for (std::int32_t id = 0; id_stream >> id;) golden.ids.push_back(id);
    columns >> golden.sum >> golden.words;
    for (std::string other; columns >> other;) golden.others.push_back(other == "=" ? golden.sum : other);
    lines.push_back(std::move(golden));
  }
  return lines;
}

const TokenizerSpec& default_spec() {
  static const TokenizerSpec spec = [] {
    const std::filesystem::path folder = ATTNVIZ_DATA_DIR "/models/minilm-l6";
    if (!std::filesystem::exists(folder / "tokenizer.json")) {
      throw std::runtime_error(folder.string() +
                               ": the default model is missing; expected its tokenizer.json; run `make model` first");
    }
    return read_tokenizer_files(folder);
  }();
  return spec;
}

struct Variant {
  std::string name;
  std::function<void(TokenizerSpec*)> change;
  bool plain = false;
};

void use_mpnet_template(TokenizerSpec* spec) {
  const TemplatePiece cls{What::kSpecial, "[CLS]", 101, 0};
  const TemplatePiece sep{What::kSpecial, "[SEP]", 102, 0};
  const TemplatePiece first{What::kFirst, "", 0, 0};
  const TemplatePiece second{What::kSecond, "", 0, 0};
  spec->single = {cls, first, sep};
  spec->pair = {cls, first, sep, sep, second, sep};
  spec->trim_offsets = true;
  for (AddedTokenSpec& token : spec->added_tokens) token.lstrip = token.content == "[MASK]";
}

void add_tokens(TokenizerSpec* spec) {
  const auto n = static_cast<std::int32_t>(std::get<WordPieceSpec>(spec->model).vocab.size());
  spec->added_tokens.push_back({.id = 13749, .content = "ing", .single_word = true});
  spec->added_tokens.push_back({.id = n, .content = "Résumé", .normalized = true});
  spec->added_tokens.push_back({.id = n + 1, .content = "[É]", .lstrip = true, .rstrip = true, .normalized = true});
  spec->added_tokens.push_back({.id = 2395, .content = "street", .rstrip = true});
}

// In the order of the columns of golden.tsv.
std::vector<Variant> other_variants() {
  return {
      {"cased", [](TokenizerSpec* spec) { std::get<BertNormalizerSpec>(spec->normalizers.at(0)).lowercase = false; }},
      {"keep_accents", [](TokenizerSpec* spec) { std::get<BertNormalizerSpec>(spec->normalizers.at(0)).strip_accents = false; }},
      {"strip_only",
       [](TokenizerSpec* spec) {
         spec->normalizers = {
             BertNormalizerSpec{.clean_text = false, .handle_chinese_chars = true, .strip_accents = true, .lowercase = false}};
       }},
      {"no_chinese",
       [](TokenizerSpec* spec) { std::get<BertNormalizerSpec>(spec->normalizers.at(0)).handle_chinese_chars = false; }},
      {"bare",
       [](TokenizerSpec* spec) {
         spec->normalizers = {
             BertNormalizerSpec{.clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = false}};
       }},
      {"plain", [](TokenizerSpec*) {}, true},
      {"mpnet", use_mpnet_template},
      {"added", add_tokens},
  };
}

std::unique_ptr<Tokenizer> tokenizer_for(const Variant& variant) {
  TokenizerSpec spec = default_spec();
  variant.change(&spec);
  return make_tokenizer(std::move(spec));
}

TextInput input_of(const Json& line) {
  TextInput input{line.at(0), std::nullopt};
  if (line.size() > 1) input.text2 = line.at(1).get<std::string>();
  return input;
}

bool from_template(const Token& token) { return token.kind == TokenKind::kSpecial && token.begin == token.end; }

// As tokenizer_corpus.py sums up a line: ids and types of all tokens, then offsets of those that stand for text.
std::string sum_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> numbers;
  for (const Token& token : tokens) {
    numbers.push_back(token.id);
    numbers.push_back(token.type_id.value_or(token.segment));
  }
  for (const Token& token : tokens) {
    if (from_template(token)) continue;
    numbers.push_back(static_cast<std::int32_t>(token.begin));
    numbers.push_back(static_cast<std::int32_t>(token.end));
  }
  return crc32_numbers(numbers);
}

std::string shown(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += fmt::format(" {}[{},{})w{}", token.id, token.begin, token.end, token.word);
  return text;
}

class TokenizerParity : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(corpus_.size(), kMinLines);
    ASSERT_EQ(corpus_.size(), golden_.size());
  }

  // Calls check(input, golden) for each line until it returns false.
  template <typename Check>
  void for_each_line(const Check& check) {
    for (std::size_t i = 0; i < corpus_.size(); ++i) {
      if (check(input_of(corpus_[i]), golden_[i])) continue;
      ADD_FAILURE() << "line " << i + 1 << " of corpus.jsonl: " << corpus_[i].dump(-1, ' ', true);
      return;
    }
  }

  const std::vector<Json> corpus_ = read_corpus();
  const std::vector<Golden> golden_ = read_golden();
};

TEST_F(TokenizerParity, IdsOffsetsAndWordsOfTheDefaultModel) {
  const auto tokenizer = make_tokenizer(default_spec());
  int n_word_checks = 0;
  for_each_line([&](const TextInput& input, const Golden& golden) {
    const std::vector<Token> tokens = tokenizer->encode(input);
    std::vector<std::int32_t> ids, words;
    for (const Token& token : tokens) ids.push_back(token.id);
    for (const Token& token : tokens) words.push_back(token.word);
    EXPECT_EQ(ids, golden.ids);
    EXPECT_EQ(sum_of(tokens), golden.sum) << shown(tokens);
    if (golden.words != "-") {
      ++n_word_checks;
      EXPECT_EQ(crc32_numbers(words), golden.words) << shown(tokens);
    }
    return !HasFailure();
  });
  EXPECT_GE(n_word_checks, 1500);
}

TEST_F(TokenizerParity, OtherVariants) {
  const std::vector<Variant> variants = other_variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    SCOPED_TRACE(variants[v].name);
    const auto tokenizer = tokenizer_for(variants[v]);
    for_each_line([&](const TextInput& input, const Golden& golden) {
      const std::vector<Token> tokens = tokenizer->encode(input, {.plain = variants[v].plain});
      const bool equal = golden.others.size() == variants.size() && sum_of(tokens) == golden.others[v];
      EXPECT_TRUE(equal) << "found" << shown(tokens);
      return equal;
    });
  }
}

// A place is inside the text, on character boundaries, and never before the one of the token to the left.
void expect_sound_places(const std::vector<Token>& tokens, const TextInput& input) {
  std::array<std::size_t, 2> last_begin{};
  std::array<std::size_t, 2> last_end{};
  for (const Token& token : tokens) {
    const auto segment = static_cast<std::size_t>(token.segment);
    ASSERT_LT(segment, 2U);
    const std::string& text = segment == 0 ? input.text : *input.text2;
    ASSERT_LE(token.begin, token.end);
    ASSERT_LE(token.end, text.size());
    EXPECT_GE(token.begin, last_begin[segment]);
    EXPECT_GE(token.end, last_end[segment]);
    last_begin[segment] = token.begin;
    last_end[segment] = token.end;
    if (from_template(token)) continue;
    EXPECT_LT(token.begin, token.end);
    EXPECT_EQ(token.text, text.substr(token.begin, token.end - token.begin));
    EXPECT_FALSE(find_invalid_utf8(token.text)) << shown(tokens);
  }
}

TEST_F(TokenizerParity, PlacesAreSoundForEveryVariant) {
  for (const Variant& variant : other_variants()) {
    SCOPED_TRACE(variant.name);
    const auto tokenizer = tokenizer_for(variant);
    for_each_line([&](const TextInput& input, const Golden&) {
      expect_sound_places(tokenizer->encode(input, {.plain = variant.plain}), input);
      return !HasFailure();
    });
  }
}

TEST(TruncationParity, KeepsWhatLongestFirstKeeps) {
  const auto tokenizer = make_tokenizer(default_spec());
  std::ifstream file(ATTNVIZ_TEST_DIR "/truncation.txt");
  int n_rows = 0;
  std::size_t n_first, n_second, limit;
  for (std::ptrdiff_t kept_first, kept_second; file >> n_first >> n_second >> limit >> kept_first >> kept_second; ++n_rows) {
    std::string first, second;
    for (std::size_t i = 0; i < n_first; ++i) first += "a ";
    for (std::size_t i = 0; i < n_second; ++i) second += "b ";
    const auto tokens = tokenizer->truncate(tokenizer->encode({first, second}), limit);
    const auto count = [&](std::string_view text) {
      return std::count_if(tokens.begin(), tokens.end(), [&](const Token& token) { return token.text == text; });
    };
    EXPECT_EQ(count("a"), kept_first) << n_first << " and " << n_second << " within " << limit;
    EXPECT_EQ(count("b"), kept_second) << n_first << " and " << n_second << " within " << limit;
    EXPECT_EQ(std::count_if(tokens.begin(), tokens.end(), from_template), 3);
  }
  EXPECT_EQ(n_rows, 832);
}

}  // namespace
}  // namespace attnviz
