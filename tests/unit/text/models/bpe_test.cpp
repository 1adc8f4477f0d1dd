// bpe.h and byte_level.h: the order of merges, what stands for unknown characters, and bytes as characters.
#include "text/models/bpe.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

#include "frozen_model.h"
#include "text/models/byte_level.h"

namespace attnviz {
namespace {

std::string pieces(const BpeSpec& spec, std::string_view word) {
  const FrozenModel model(spec, "file");
  std::vector<PieceModel::Piece> found;
  model->encode(align_text(word), &found);
  std::string out;
  for (const PieceModel::Piece& piece : found) {
    if (!out.empty()) out += " ";
    out.append(model->spelling(piece.id)).append(":");
    out += std::to_string(piece.range.begin) + "-" + std::to_string(piece.range.end);
  }
  return out;
}

TEST(Bpe, TheFirstMergeCountsMostThenTheLeftmost) {
  BpeSpec spec;
  spec.vocab = {"a", "b", "c", "ab", "bc", "aa", "abc"};
  spec.merges = {make_merge("b", "c"), make_merge("a", "b"), make_merge("a", "a")};
  EXPECT_EQ(pieces(spec, "abc"), "a:0-1 bc:1-3");
  EXPECT_EQ(pieces(spec, "aaa"), "aa:0-2 a:2-3");
  EXPECT_EQ(pieces(spec, "aab"), "a:0-1 ab:1-3");
  EXPECT_EQ(pieces(spec, ""), "");
  spec.ignore_merges = true;
  EXPECT_EQ(pieces(spec, "abc"), "abc:0-3");
}

TEST(Bpe, MergesChain) {
  BpeSpec spec;
  spec.vocab = {"a", "aa", "aaaa"};
  spec.merges = {make_merge("a", "a"), make_merge("aa", "aa")};
  EXPECT_EQ(pieces(spec, "aaaaaaa"), "aaaa:0-4 aa:4-6 a:6-7");
}

TEST(Bpe, UnknownCharacters) {
  BpeSpec spec;
  spec.vocab = {"<unk>", "a"};
  EXPECT_EQ(pieces(spec, "axya"), "a:0-1 a:3-4") << "dropped";
  spec.unknown = "<unk>";
  EXPECT_EQ(pieces(spec, "axya"), "a:0-1 <unk>:1-2 <unk>:2-3 a:3-4");
  spec.fuse_unknown = true;
  EXPECT_EQ(pieces(spec, "axya"), "a:0-1 <unk>:1-3 a:3-4");
  spec.byte_fallback = true;
  spec.vocab.insert(spec.vocab.end(), {"<0xC3>", "<0xA9>"});
  EXPECT_EQ(pieces(spec, "\xC3\xA9x"), "<0xC3>:0-1 <0xA9>:0-1 <unk>:1-2");
}

TEST(Bpe, PrefixAndSuffix) {
  BpeSpec spec;
  spec.vocab = {"a", "##b</w>", "ab</w>", "a</w>"};
  spec.merges = {make_merge("a", "##b</w>")};
  spec.continuing_prefix = "##";
  spec.end_of_word_suffix = "</w>";
  EXPECT_EQ(pieces(spec, "ab"), "ab</w>:0-2");
  EXPECT_EQ(pieces(spec, "a"), "a</w>:0-1");
}

TEST(Bpe, WhatTheVocabularyLacksIsNamed) {
  const auto message = [](const BpeSpec& spec) -> std::string {
    try {
      FrozenModel(spec, "file");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  BpeSpec spec;
  spec.vocab = {"a", "b"};
  spec.merges = {make_merge("a", "b")};
  EXPECT_NE(message(spec).find("file: merge 0 (\"a\" and \"b\"): \"ab\" is not in the vocabulary of 2 entries"), std::string::npos);
  spec.merges = {{"a", 7}};
  EXPECT_NE(message(spec).find("merge 0: is not a pair"), std::string::npos);
  spec.merges.clear();
  spec.unknown = "?";
  EXPECT_NE(message(spec).find("the unknown token \"?\" is not in the vocabulary"), std::string::npos);
}

TEST(ByteLevel, EveryByteIsOneCharacterAndComesBack) {
  EXPECT_EQ(byte_to_char('A'), U'A');
  EXPECT_EQ(byte_to_char(' '), char32_t{0x120});
  EXPECT_EQ(byte_to_char('\n'), char32_t{0x10A});
  EXPECT_EQ(byte_to_char(0xAD), char32_t{0x143});
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(char_to_byte(byte_to_char(static_cast<unsigned char>(byte))), static_cast<unsigned char>(byte));
  }
  EXPECT_EQ(char_to_byte(' '), std::nullopt);
  EXPECT_EQ(char_to_byte(0x144), std::nullopt);
}

TEST(ByteLevel, BytesKeepThePlaceOfTheirCharacter) {
  const AlignedText bytes = to_byte_level(align_text("a\xC3\xA9"));
  ASSERT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes[2].begin, 1U);
  EXPECT_EQ(bytes[2].end, 3U);
  EXPECT_EQ(text_of_broken_bytes(bytes), std::nullopt);
  EXPECT_EQ(text_of_broken_bytes(AlignedView(bytes).first(2)), "a<0xC3>");
  EXPECT_EQ(text_of_broken_bytes(AlignedView(bytes).last(1)), "<0xA9>");
}

}  // namespace
}  // namespace attnviz
