// The sentencepiece library: as a second reference for our Unigram, which it does not replace because it adds scores in single
// precision and so breaks ties otherwise than the fast tokenizers do (docs/ARCHITECTURE.md); and behind our reader, where damaged
// models must end in an error or in sound tokens, and never in the library's own words on stderr.
#include <attnviz/error.h>
#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sentencepiece_processor.h>

#include "formats/tokenizer/sentencepiece_model.h"
#include "text/make_tokenizer.h"
#include "text/models/sentencepiece_proto.h"
#include "text/stages.h"
#include "unit/text/models/frozen_model.h"

namespace attnviz {
namespace {

using Json = nlohmann::json;
using Type = SpmPiece::Type;
using Ids = std::vector<std::int32_t>;

constexpr std::size_t kMinWords = 9000;
constexpr std::size_t kMaxTies = 10;  // of 11,090 words 6 differ, all of them rows of dots

std::string read_file(const std::string& name) {
  std::ifstream file(std::string(ATTNVIZ_TEST_DIR "/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Words as the pre-tokenisers would give them, whatever the normaliser would have done.
std::vector<std::string> words_of_corpus() {
  std::vector<std::string> words;
  std::istringstream file(read_file("corpus.jsonl"));
  for (std::string line; std::getline(file, line);) {
    for (const Json& text : Json::parse(line)) {
      std::istringstream parts(text.get<std::string>());
      for (std::string word; parts >> word;) words.push_back("\u2581" + word);
    }
  }
  return words;
}

class UnigramAndLibrary : public testing::TestWithParam<const char*> {};

TEST_P(UnigramAndLibrary, DifferOnlyWhereScoresAreEqual) {
  const std::string file = std::string("sentencepiece_") + GetParam() + ".model";
  SentencePieceModel model = parse_sentencepiece_model(read_file(file), file);
  UnigramSpec spec;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    SpmPiece& piece = model.pieces[id];
    spec.pieces.push_back({piece.text, static_cast<double>(piece.score)});
    if (piece.type == Type::kUnknown) {
      spec.unknown_id = static_cast<std::int32_t>(id);
    } else {
      piece.type = Type::kNormal;  // any piece is text for the fast tokenizers
    }
  }
  const FrozenModel ours(spec, file);
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.LoadFromSerializedProto(sentencepiece_proto(ProtoModel::kUnigram, model.pieces)).ok());
  const auto score_of = [&](const Ids& ids) {
    double score = 0;
    for (const std::int32_t id : ids) score += spec.pieces[static_cast<std::size_t>(id)].score;
    return score;
  };
  std::size_t n_words = 0, n_ties = 0;
  for (const std::string& word : words_of_corpus()) {
    std::vector<PieceModel::Piece> pieces;
    ours->encode(align_text(word), &pieces);
    Ids ids, library_ids;
    for (const PieceModel::Piece& piece : pieces) ids.push_back(piece.id);
    ASSERT_TRUE(library.Encode(word, &library_ids).ok());
    ++n_words;
    if (ids == library_ids) continue;
    ++n_ties;
    EXPECT_NEAR(score_of(ids), score_of(library_ids), 1e-6 * std::abs(score_of(ids))) << word;
  }
  EXPECT_GE(n_words, kMinWords);
  EXPECT_LE(n_ties, kMaxTies);
}

INSTANTIATE_TEST_SUITE_P(All, UnigramAndLibrary, testing::Values("unigram", "t5", "albert"),
                         [](const auto& tested) { return std::string(tested.param); });

// --- Damage ---

void expect_sound_or_refused(SpmVocabulary vocabulary) {
  const std::string text = "The street  [MASK]s 日本 \u2581\u2581 <s> <0x41>\t\u0001 123 été " + std::string(1, '\0');
  try {
    const auto tokenizer = make_tokenizer(make_spm_tokenizer_spec(std::move(vocabulary), "damaged"));
    for (const Token& token : tokenizer->encode({text, std::nullopt})) {
      ASSERT_LE(token.begin, token.end);
      ASSERT_LE(token.end, text.size());
      ASSERT_LT(static_cast<std::size_t>(token.id), tokenizer->n_vocab());
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
  }
}

class SentencePieceDamage : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); }

  std::size_t at_most(std::size_t n) { return random_() % n; }

  std::mt19937 random_{11};
  const std::string good_ = read_file("sentencepiece_bpe.model");
};

TEST_F(SentencePieceDamage, InTheFile) {
  int n_read = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bad = good_;
    for (std::size_t i = at_most(3) + 1; i > 0; --i) bad[at_most(bad.size())] = static_cast<char>(random_());
    try {
      expect_sound_or_refused({.pieces = parse_sentencepiece_model(bad, "damaged").pieces});
      ++n_read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
    }
  }
  EXPECT_GE(n_read, 100);  // that many reach the library
}

// Vocabularies that no .model may have, but a GGUF file's lists may.
TEST_F(SentencePieceDamage, InThePieces) {
  const std::vector<SpmPiece> pieces = parse_sentencepiece_model(good_, "good").pieces;
  const std::vector<float> scores = {0, -0.0F, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                                     std::numeric_limits<float>::denorm_min()};
  for (int round = 0; round < 1000; ++round) {
    SpmVocabulary vocabulary{.pieces = pieces, .remove_extra_whitespaces = round % 2 == 0};
    if (round % 3 == 0) vocabulary.pieces.resize(at_most(pieces.size()));
    for (std::size_t i = at_most(200); i > 0 && !vocabulary.pieces.empty(); --i) {
      SpmPiece& piece = vocabulary.pieces[at_most(vocabulary.pieces.size())];
      switch (at_most(5)) {
        case 0: piece.type = static_cast<Type>(at_most(6) + 1); break;
        case 1: piece.score = scores[at_most(scores.size())]; break;
        case 2: piece.text = vocabulary.pieces[at_most(vocabulary.pieces.size())].text; break;
        case 3: piece.text.clear(); break;
        default: piece.text += std::string(at_most(3) + 1, static_cast<char>(at_most(128))); break;
      }
    }
    expect_sound_or_refused(std::move(vocabulary));
  }
}

}  // namespace
}  // namespace attnviz
