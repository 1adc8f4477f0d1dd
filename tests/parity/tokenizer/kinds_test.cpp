// Small tokenizers of every kind against the reference tokenizers library: ids, types and places of every line of corpus.jsonl must
// be equal. Made by tests/reference/tokenizer_kinds.py, which can also print what the reference says about one line (--explain).
#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/utf8.h"
#include "corpus.h"
#include "crc32.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "kept.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMinLines = 2000;
constexpr std::size_t kMinKinds = 12;

// Kinds whose places are compared: PLACED of tokenizer_kinds.py.
constexpr std::array<std::string_view, 8> kPlaced = {"gpt2", "llama3", "smollm", "roberta",
                                                     "opt",  "gpt4o",  "splits", "byte_fallback"};

TokenizerSpec spec_of(const std::string& kind) {
  const std::string path = ATTNVIZ_TEST_DIR "/kinds/" + kind + ".json";
  return parse_tokenizer_json(read_text_file(path, 1 << 20, ErrorKind::kModel), path);
}

bool from_template(const Token& token) { return token.kind == TokenKind::kSpecial && token.begin == token.end; }

std::string sum_of_ids(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> numbers;
  for (const Token& token : tokens) {
    numbers.push_back(token.id);
    numbers.push_back(token.type_id.value_or(token.segment));
  }
  return crc32_numbers(numbers);
}

std::string shown(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += fmt::format(" {}[{},{})", token.id, token.begin, token.end);
  return text;
}

class KindsParity : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(ATTNVIZ_TEST_DIR "/kinds.tsv");
    std::string line;
    std::getline(file, line);
    kinds_ = columns_of(line);
    while (std::getline(file, line)) sums_.push_back(columns_of(line));
    ASSERT_GE(kinds_.size(), kMinKinds);
    ASSERT_GE(corpus_.size(), kMinLines);
    ASSERT_EQ(corpus_.size(), sums_.size());
    for (const std::string& kind : kinds_) tokenizers_.push_back(make_tokenizer(spec_of(kind)));
  }

  const std::vector<TextInput> corpus_ = read_corpus();
  std::vector<std::string> kinds_;
  std::vector<std::vector<std::string>> sums_;
  std::vector<std::unique_ptr<Tokenizer>> tokenizers_;
};

TEST_F(KindsParity, IdsOfEveryLine) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    int n_wrong = 0;
    for (std::size_t i = 0; i < corpus_.size(); ++i) {
      const std::vector<Token> tokens = tokenizers_[k]->encode(corpus_[i]);
      if (sum_of_ids(tokens) == sums_[i].at(k)) continue;
      if (n_wrong++ == 0) ADD_FAILURE() << kinds_[k] << ", line " << i + 1 << " of corpus.jsonl: found" << shown(tokens);
    }
    EXPECT_EQ(n_wrong, 0) << "lines of kind " << kinds_[k];
  }
}

TEST_F(KindsParity, AKeptTokenizerSaysTheSame) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    SCOPED_TRACE(kinds_[k]);
    const auto kept = open_as_kept(spec_of(kinds_[k]));
    ASSERT_NE(kept, nullptr);
    expect_same_tokens(*tokenizers_[k], *kept, corpus_);
  }
}

TEST_F(KindsParity, PlacesOfEveryLine) {
  int n_wrong = 0;
  for (std::size_t i = 0; i < corpus_.size(); ++i) {
    std::vector<std::int32_t> numbers;
    std::string text;
    for (const std::string_view kind : kPlaced) {
      const auto k = static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin());
      const std::vector<Token> tokens = tokenizers_.at(k)->encode(corpus_[i]);
      for (const Token& token : tokens) {
        if (from_template(token)) continue;
        numbers.push_back(static_cast<std::int32_t>(token.begin));
        numbers.push_back(static_cast<std::int32_t>(token.end));
      }
      text += fmt::format("\n{}:{}", kind, shown(tokens));
    }
    if (crc32_numbers(numbers) == sums_[i].at(kinds_.size())) continue;
    if (n_wrong++ == 0) ADD_FAILURE() << "line " << i + 1 << " of corpus.jsonl: found" << text;
  }
  EXPECT_EQ(n_wrong, 0);
}

TEST_F(KindsParity, IdsToRead) {
  std::ifstream file(ATTNVIZ_TEST_DIR "/kinds_ids.jsonl");
  std::size_t n_lines = 0;
  for (std::string line; std::getline(file, line); ++n_lines) {
    const Json row = Json::parse(line);
    const std::size_t number = row.at(0);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      std::vector<std::int32_t> ids;
      for (const Token& token : tokenizers_[k]->encode(corpus_.at(number - 1))) ids.push_back(token.id);
      EXPECT_EQ(ids, row.at(1).at(kinds_[k]).get<std::vector<std::int32_t>>()) << kinds_[k] << ", line " << number;
    }
  }
  EXPECT_GE(n_lines, 60U);
}

// A place is inside the text, on character boundaries, and never before the one of the token to the left; a token's text is what
// the user wrote there, or bytes of it.
void expect_sound_places(const std::vector<Token>& tokens, const TextInput& input) {
  std::array<std::size_t, 2> last_begin{}, last_end{};
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
    const std::string written = text.substr(token.begin, token.end - token.begin);
    EXPECT_FALSE(find_invalid_utf8(written)) << shown(tokens);
    if (token.kind == TokenKind::kBytes) {
      EXPECT_NE(token.text.find("<0x"), std::string::npos) << token.text;
    } else {
      EXPECT_EQ(token.text, written);
    }
  }
}

// Every character of the text but white space is the place of some token, where the tokenizer drops nothing: so whatever is decoded
// from the tokens can be found in the text.
void expect_text_covered(const std::vector<Token>& tokens, const std::string& text) {
  std::size_t done = 0;
  for (const Token& token : tokens) {
    if (token.segment != 0) break;
    for (; done < token.begin; done += decode_utf8(text, done).length) {
      const std::string c = text.substr(done, decode_utf8(text, done).length);
      ASSERT_EQ(std::string("\t\n\v\f\r ").find(c) == std::string::npos && c.size() == 1, false) << "byte " << done << " is lost";
    }
    done = std::max(done, token.end);
  }
}

TEST_F(KindsParity, PlacesAreSound) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    SCOPED_TRACE(kinds_[k]);
    const bool whole = kinds_[k] == "gpt2" || kinds_[k] == "llama3" || kinds_[k] == "smollm" || kinds_[k] == "gpt4o";
    for (const TextInput& input : corpus_) {
      const std::vector<Token> tokens = tokenizers_[k]->encode(input);
      expect_sound_places(tokens, input);
      if (whole) expect_text_covered(tokens, input.text);
      if (HasFailure()) {
        ADD_FAILURE() << input.text << "\n" << shown(tokens);
        return;
      }
    }
  }
}

// The way back: the ids of a line spell the line, with its tokens where the encoder had them.
TEST_F(KindsParity, IdsSpellTheLineTheyCameFrom) {
  for (const std::string_view kind : {"gpt2", "llama3", "smollm", "gpt4o"}) {  // kinds that change nothing
    const auto k = static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin());
    int n_wrong = 0;
    int n_tried = 0;
    for (const TextInput& input : corpus_) {
      std::vector<Token> tokens = tokenizers_.at(k)->encode({input.text, std::nullopt});
      std::erase_if(tokens, from_template);
      const auto is_special = [](const Token& token) { return token.kind == TokenKind::kSpecial; };
      if (std::any_of(tokens.begin(), tokens.end(), is_special)) continue;  // they spell nothing
      std::vector<std::int32_t> ids;
      for (const Token& token : tokens) ids.push_back(token.id);
      std::string text;
      const std::vector<Token> back = tokenizers_.at(k)->decode_after(&text, {}, ids);
      ++n_tried;
      const bool same = text == input.text && back.size() == tokens.size() &&
                        std::equal(back.begin(), back.end(), tokens.begin(), [](const Token& a, const Token& b) {
                          return a.id == b.id && a.begin == b.begin && a.end == b.end && a.text == b.text && a.generated;
                        });
      if (!same && n_wrong++ == 0) {
        ADD_FAILURE() << kind << ": \"" << input.text << "\" became \"" << text << "\"" << shown(tokens) << " /" << shown(back);
      }
    }
    EXPECT_EQ(n_wrong, 0) << "lines of kind " << kind;
    EXPECT_GT(n_tried, 1800) << kind;
  }
}

}  // namespace
}  // namespace attnviz
