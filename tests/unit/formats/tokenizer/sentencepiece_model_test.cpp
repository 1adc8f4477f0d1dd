// sentencepiece_model.h: what is read of a .model file, and every way it can be broken.
#include "formats/tokenizer/sentencepiece_model.h"

#include <attnviz/error.h>

#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sentencepiece_file.h"

namespace attnviz {
namespace {

using Type = SpmPiece::Type;

const std::vector<SpmPiece> kPieces = {{"<unk>", 0, Type::kUnknown}, {"<s>", 0, Type::kControl},    {"</s>", 0, Type::kControl},
                                       {"▁a", -1.5F, Type::kNormal}, {"x", -2, Type::kUserDefined}, {"<0x41>", 0, Type::kByte}};

TEST(SentencePieceModel, ReadsPiecesAndSettings) {
  const std::string trainer = number_field(3, 2) + bytes_field(1, "input.txt") + float_field(10, 0.5F) + number_field(35, 1);
  const std::string normalizer = bytes_field(1, "identity") + bytes_field(2, "map") + number_field(3, 0) + number_field(4, 0);
  const SentencePieceModel model = parse_sentencepiece_model(spm_file(kPieces, trainer, normalizer), "test");
  ASSERT_EQ(model.pieces.size(), kPieces.size());
  for (std::size_t i = 0; i < kPieces.size(); ++i) {
    EXPECT_EQ(model.pieces[i].text, kPieces[i].text);
    EXPECT_EQ(model.pieces[i].score, kPieces[i].score);
    EXPECT_EQ(model.pieces[i].type, kPieces[i].type);
  }
  EXPECT_EQ(model.type, SentencePieceModel::Type::kBpe);
  EXPECT_TRUE(model.byte_fallback);
  EXPECT_EQ(model.charsmap, "map");
  EXPECT_FALSE(model.add_dummy_prefix);
  EXPECT_FALSE(model.remove_extra_whitespaces);
  EXPECT_TRUE(model.escape_whitespaces);
}

TEST(SentencePieceModel, AbsentFieldsHaveTheirDefaults) {
  const SentencePieceModel model = parse_sentencepiece_model(bytes_field(1, bytes_field(1, "a")), "test");
  EXPECT_EQ(model.type, SentencePieceModel::Type::kUnigram);
  EXPECT_EQ(model.pieces[0].type, Type::kNormal);
  EXPECT_TRUE(model.add_dummy_prefix && model.remove_extra_whitespaces);
  EXPECT_FALSE(model.byte_fallback || model.treat_whitespace_as_suffix);
}

TEST(SentencePieceModel, RefusesBrokenFiles) {
  const std::string good = piece_field({"a", 0, Type::kNormal});
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"", "has no pieces"},
      {"hello, this is a text", "SentencePiece model"},
      {good.substr(0, good.size() - 1), "ends early"},
      {good + good, "the pieces 0 and 1 are the same"},
      {bytes_field(1, bytes_field(1, "")), "piece 0 has 0 bytes"},
      {bytes_field(1, bytes_field(1, std::string(5000, 'a'))), "piece 0 has 5000 bytes"},
      {bytes_field(1, float_field(2, 1)), "piece 0 has 0 bytes"},
      {bytes_field(1, bytes_field(1, "\xC3")), "piece 0 is not UTF-8"},
      {piece_field({"a", infinite, Type::kNormal}), "a score that is not a number"},
      {bytes_field(1, bytes_field(1, "a") + number_field(3, 7)), "piece 0 has the type 7"},
      {bytes_field(1, bytes_field(1, "a") + number_field(2, 7)), "a piece's score of the wire type 0"},
      {number_field(1, 5), "a part of the wire type 0"},
      {spm_file({{"a"}}, number_field(3, 9)), "a model of the type 9"},
      {spm_file({{"a"}}, bytes_field(35, "x")), "byte_fallback of the wire type 2"},
      {spm_file({{"a"}}, {}, number_field(2, 1)), "the character map of the wire type 0"},
      {std::string("\x0B", 1), "a field of the wire type 3"},
      {std::string("\x02\x00", 2), "the number 0"},
      {std::string(11, '\xFF'), "more than ten bytes"},
      {bytes_field(1, "").substr(0, 1) + varint(~std::uint64_t{0}), "ends early"},
  };
  for (const auto& [bytes, message] : broken) {
    try {
      parse_sentencepiece_model(bytes, "spiece.model");
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith("spiece.model: "), testing::HasSubstr(message)));
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
    }
  }
}

TEST(SentencePieceModel, DamageIsAnErrorOrHarmless) {
  const std::string good = spm_file(kPieces, number_field(3, 2) + number_field(35, 1), bytes_field(2, "map"));
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    if (round % 3 == 0) bad.resize(random() % bad.size());
    try {
      EXPECT_LE(parse_sentencepiece_model(bad, "test").pieces.size(), bad.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
    }
  }
}

TEST(SpmTokenizerSpec, PutsTheEndsAroundAndNamesSpecialTokens) {
  const TokenizerSpec spec = make_spm_tokenizer_spec({.pieces = kPieces, .bos_id = 1, .eos_id = 2}, "test");
  ASSERT_EQ(spec.single.size(), 3U);
  EXPECT_EQ(spec.single[0].token, "<s>");
  EXPECT_EQ(spec.single[2].id, 2);
  EXPECT_EQ(spec.pair.size(), 6U);
  ASSERT_EQ(spec.added_tokens.size(), 3U);
  for (const AddedTokenSpec& token : spec.added_tokens) EXPECT_TRUE(token.special);
  EXPECT_EQ(std::get<SpmSpec>(spec.model).pieces.size(), kPieces.size());
  EXPECT_EQ(spec.normalizers.size(), 2U);
  EXPECT_EQ(make_spm_tokenizer_spec({.pieces = kPieces, .add_space_prefix = false}, "test").normalizers.size(), 1U);
  EXPECT_EQ(make_spm_tokenizer_spec({.pieces = kPieces}, "test").single.size(), 1U);
  EXPECT_THROW(make_spm_tokenizer_spec({.pieces = kPieces, .bos_id = 6}, "test"), Error);
  EXPECT_THROW(make_spm_tokenizer_spec({.pieces = kPieces, .eos_id = -1}, "test"), Error);
}

}  // namespace
}  // namespace attnviz
