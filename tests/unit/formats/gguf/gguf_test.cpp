// Every way a GGUF file can lie, each with its message; and good files, single and split.
#include "formats/gguf/gguf.h"

#include <attnviz/error.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gguf_writer.h"

namespace attnviz {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

template <typename Read>
std::string message_of(Read read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

std::string parse_message(const std::string& bytes) {
  const std::string message = message_of([&] { parse_gguf(as_bytes(bytes), "m.gguf"); });
  EXPECT_THAT(message, testing::StartsWith("m.gguf: "));
  return message;
}

GgufParts with_pairs(std::vector<std::string> pairs) {
  GgufParts parts;
  parts.pairs = std::move(pairs);
  return parts;
}

GgufParts with_infos(std::vector<std::string> infos, std::size_t n_data = 64) {
  GgufParts parts;
  parts.infos = std::move(infos);
  parts.data = std::string(n_data, 'x');
  return parts;
}

struct Broken {
  const char* name;
  std::string bytes;
  std::vector<std::string> facts;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

std::string header(std::uint64_t n_tensors, std::uint64_t n_pairs, std::uint32_t version = 3) {
  return "GGUF" + raw(version) + raw(n_tensors) + raw(n_pairs);
}

std::vector<Broken> broken_headers() {
  return {
      {"Empty", "", {"begins with \"\"", "expected \"GGUF\""}},
      {"MagicOther", "PK\3\4" + raw(3U), {"begins with \"PK\\x03\\x04\"", "expected \"GGUF\""}},
      {"MagicOld", "tjgg" + raw(3U), {"before GGUF", "tjgg"}},
      {"LfsPointer", "version https://git-lfs.github.com/spec/v1\n", {"Git LFS pointer", "git lfs pull"}},
      {"CutAfterMagic", "GGUF", {"ends early", "version"}},
      {"VersionOne", header(0, 0, 1), {"version 1", "expected 2 or 3"}},
      {"VersionFour", header(0, 0, 4), {"version 4", "expected 2 or 3"}},
      {"VersionZero", header(0, 0, 0), {"version 0"}},
      {"BigEndian", header(0, 0, 0x03000000), {"big-endian"}},
      {"CutInCounts", header(0, 0).substr(0, 18), {"ends early", "key-value pairs"}},
      {"TensorCountHuge", header(std::uint64_t{1} << 60, 0), {"announces 1152921504606846976 tensors", "8 remaining"}},
      {"PairCountHuge", header(0, ~std::uint64_t{0}), {"announces 18446744073709551615 key-value pairs"}},
      {"TensorCountPastPairs", header(1, 1) + pair_text("k", "twenty bytes of text"), {"announces 1 tensors"}},
  };
}

std::vector<Broken> broken_pairs() {
  const auto one = [](const std::string& pair) { return gguf_file(with_pairs({pair})); };
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += raw(9U) + raw(std::uint64_t{1});
  return {
      {"KeyPastEnd", header(0, 1) + raw(std::uint64_t{50}) + "12345", {"key of 50 bytes", "5 bytes that are left"}},
      {"KeyLengthHuge", header(0, 1) + raw(~std::uint64_t{0}) + "12345", {"key of 18446744073709551615 bytes"}},
      {"KeyTwice", gguf_file(with_pairs({pair_u32("a.b", 1), pair_u32("c", 2), pair_u32("a.b", 3)})), {"key \"a.b\"", "twice"}},
      {"ValueTypeUnknown", one(pair_of("k", 13, raw(1U))), {"\"k\"", "unknown type 13", "expected 0 to 12"}},
      {"ValueCut", header(0, 1) + gguf_text("k") + raw(10U) + "123", {"ends early", "8 bytes of value"}},
      {"TextPastEnd", one(pair_of("k", 8, raw(std::uint64_t{9}) + "abc")), {"text of 9 bytes", "3 bytes that are left"}},
      {"FlagTwo", one(pair_of("k", 7, "\2")), {"flag \"k\" is 2"}},
      {"ArrayTypeUnknown", one(pair_of("k", 9, raw(99U) + raw(std::uint64_t{0}))), {"\"k\"", "unknown type 99"}},
      {"ArrayPastEnd", one(pair_of("k", 9, raw(4U) + raw(std::uint64_t{3}) + "12345678")), {"array \"k\" of 3 elements"}},
      {"ArrayLengthHuge", one(pair_of("k", 9, raw(10U) + raw(~std::uint64_t{0}))), {"array \"k\" of 18446744073709551615"}},
      {"TextArrayCut", one(pair_of("k", 9, raw(8U) + raw(std::uint64_t{1}) + raw(std::uint64_t{5}) + "abc")), {"text of 5 bytes"}},
      {"ArraysTooDeep", one(pair_of("k", 9, deep + raw(0U) + raw(std::uint64_t{0}))), {"\"k\"", "more than 8 arrays"}},
      {"AlignmentZero", one(pair_u32("general.alignment", 0)), {"general.alignment", "power of two", "found 0"}},
      {"AlignmentOdd", one(pair_u32("general.alignment", 48)), {"general.alignment", "power of two", "found 48"}},
      {"AlignmentText", one(pair_text("general.alignment", "32")), {"general.alignment", "whole number", "found text"}},
  };
}

std::vector<Broken> broken_tensors() {
  const auto one = [](const std::string& info, std::size_t n_data = 64) { return gguf_file(with_infos({info}, n_data)); };
  return {
      {"NamePastEnd", header(1, 0) + raw(std::uint64_t{99}) + std::string(40, 'n'), {"name of 99 bytes", "40 bytes that are left"}},
      {"InfoCut", header(1, 0) + gguf_text("a long enough name") + raw(4U) + raw(std::uint64_t{4}), {"ends early", "dimension"}},
      {"NoDims", one(info_of("t", {}, 0, 0)), {"\"t\"", "0 dimensions"}},
      {"FiveDims", one(info_of("t", {1, 1, 1, 1, 1}, 0, 0)), {"\"t\"", "5 dimensions", "expected 1 to 4"}},
      {"DimZero", one(info_of("t", {4, 0}, 0, 0)), {"\"t\"", "dimension of 0"}},
      {"DimsOverflow", one(info_of("t", {1ULL << 33, 1ULL << 33}, 0, 0)), {"\"t\"", "more elements"}},
      {"BytesOverflow", one(info_of("t", {(1ULL << 61)}, 28, 0)), {"\"t\"", "more elements"}},
      {"TypeUnknown", one(info_of("t", {4}, 99, 0)), {"\"t\"", "unknown type 99", "newer"}},
      {"TypeUnsupported", one(info_of("t", {256}, 16, 0)), {"\"t\"", "IQ2_XXS", "not supported", "Q4_0"}},
      {"TypeRemoved", one(info_of("t", {32}, 4, 0)), {"\"t\"", "Q4_2", "not supported"}},
      {"RowNotBlocks", one(info_of("t", {48, 2}, 3, 0)), {"\"t\"", "Q4_1 [2, 48]", "multiple of 32"}},
      {"RowNotSuperBlocks", one(info_of("t", {128}, 12, 0)), {"\"t\"", "Q4_K", "multiple of 256"}},
      {"OffsetMisaligned", one(info_of("t", {4}, 0, 8)), {"\"t\"", "offset 8", "alignment 32"}},
      {"OffsetPastEnd", one(info_of("t", {4}, 0, 96)), {"\"t\"", "offset 96", "64 bytes of data"}},
      {"OffsetHuge", one(info_of("t", {4}, 0, ~std::uint64_t{0} - 31)), {"\"t\"", "64 bytes of data"}},
      {"DataCut", one(info_of("t", {4, 4}, 0, 0), 63), {"\"t\"", "needs 64 bytes", "63 bytes of data"}},
      {"Overlap",
       gguf_file(with_infos({info_of("t", {16}, 0, 0), info_of("u", {4}, 0, 32)})),
       {"\"u\"", "overlaps tensor \"t\"", "64"}},
      {"SameOffset", gguf_file(with_infos({info_of("t", {4}, 0, 0), info_of("u", {4}, 0, 0)})), {"overlaps"}},
      {"NameTwice", gguf_file(with_infos({info_of("t", {4}, 0, 0), info_of("t", {4}, 0, 32)})), {"\"t\"", "twice"}},
      {"NameWithControls", one(info_of("a\x1b[2J", {48}, 3, 0)), {"\\x1B[2J", "multiple of 32"}},
  };
}

class BrokenGguf : public testing::TestWithParam<Broken> {};

TEST_P(BrokenGguf, HasItsMessage) {
  const std::string message = parse_message(GetParam().bytes);
  for (const std::string& fact : GetParam().facts) EXPECT_THAT(message, HasSubstr(fact));
}

const auto kName = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Headers, BrokenGguf, testing::ValuesIn(broken_headers()), kName);
INSTANTIATE_TEST_SUITE_P(Pairs, BrokenGguf, testing::ValuesIn(broken_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Tensors, BrokenGguf, testing::ValuesIn(broken_tensors()), kName);

// Whatever is cut off the end, the file is refused, never read past.
TEST(Gguf, EveryTruncationIsRefused) {
  GgufParts parts = with_infos({info_of("t", {32, 2}, 2, 0)}, 36);
  parts.pairs = {pair_texts("tokens", {"a", "bc"}), pair_f32("f", 1.5F), pair_text("s", "x")};
  const std::string whole = gguf_file(parts);
  EXPECT_NO_THROW(parse_gguf(as_bytes(whole), "m.gguf"));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(parse_gguf(as_bytes(whole.substr(0, n)), "m.gguf"), Error) << n;
  }
}

TEST(Gguf, ReadsEveryKindOfValue) {
  const std::string bytes = gguf_file(with_pairs({
      pair_of("u8", 0, raw(std::uint8_t{200})),
      pair_of("i8", 1, raw(std::int8_t{-3})),
      pair_of("u16", 2, raw(std::uint16_t{60000})),
      pair_of("i16", 3, raw(std::int16_t{-300})),
      pair_u32("u32", 4000000000U),
      pair_of("i32", 5, raw(std::int32_t{-5})),
      pair_f32("f32", 0.5F),
      pair_flag("yes", true),
      pair_flag("no", false),
      pair_text("text", "Wörter"),
      pair_of("u64", 10, raw(std::uint64_t{1} << 40)),
      pair_of("i64", 11, raw(std::int64_t{-7})),
      pair_of("f64", 12, raw(0.25)),
      pair_texts("texts", {"a", "", "ccc"}),
      pair_numbers<std::int32_t>("ints", 5, {3, -1}),
      pair_numbers<float>("floats", 6, {0.5F}),
      pair_of("nested", 9, raw(9U) + raw(std::uint64_t{1}) + raw(8U) + raw(std::uint64_t{1}) + gguf_text("in")),
  }));
  for (const std::uint32_t version : {2U, 3U}) {
    std::string versioned = bytes;
    versioned.replace(4, 4, raw(version));
    const GgufContents contents = parse_gguf(as_bytes(versioned), "m.gguf");
    const GgufMetadata& metadata = contents.metadata;
    EXPECT_EQ(contents.version, version);
    EXPECT_EQ(metadata.n_keys(), 17U);
    EXPECT_EQ(metadata.size("u8"), 200U);
    EXPECT_EQ(metadata.size("u16"), 60000U);
    EXPECT_EQ(metadata.size("u32"), 4000000000U);
    EXPECT_EQ(metadata.size("u64"), std::size_t{1} << 40);
    EXPECT_EQ(metadata.size("absent", 9), 9U);
    EXPECT_EQ(metadata.number("i8", 0), -3);
    EXPECT_EQ(metadata.number("i16", 0), -300);
    EXPECT_EQ(metadata.number("i32", 0), -5);
    EXPECT_EQ(metadata.number("i64", 0), -7);
    EXPECT_EQ(metadata.number("f32", 0), 0.5);
    EXPECT_EQ(metadata.number("f64", 0), 0.25);
    EXPECT_TRUE(metadata.flag("yes", false));
    EXPECT_FALSE(metadata.flag("no", true));
    EXPECT_EQ(metadata.text("text"), "Wörter");
    EXPECT_THAT(metadata.texts("texts"), ElementsAre("a", "", "ccc"));
    EXPECT_THAT(metadata.numbers("ints"), ElementsAre(3, -1));
    EXPECT_THAT(metadata.numbers("floats"), ElementsAre(0.5));
    EXPECT_TRUE(metadata.has("nested"));
  }
}

TEST(Gguf, AValueOfAnotherTypeIsNamed) {
  const std::string bytes =
      gguf_file(with_pairs({pair_of("x", 5, raw(std::int32_t{-5})), pair_text("t", "v"), pair_texts("ts", {"v"})}));
  const GgufContents contents = parse_gguf(as_bytes(bytes), "m.gguf");
  const GgufMetadata& metadata = contents.metadata;
  EXPECT_THAT(message_of([&] { metadata.size("x"); }), HasSubstr("\"x\": expected a whole number from 0 to 2^53, found -5"));
  EXPECT_THAT(message_of([&] { metadata.size("t"); }), HasSubstr("expected a whole number, found text"));
  EXPECT_THAT(message_of([&] { metadata.size("gone"); }), HasSubstr("\"gone\": is missing"));
  EXPECT_THAT(message_of([&] { metadata.text("ts"); }), HasSubstr("expected a text, found array of text"));
  EXPECT_THAT(message_of([&] { metadata.flag("t", true); }), HasSubstr("expected a flag, found text"));
  EXPECT_THAT(message_of([&] { metadata.texts("x"); }), HasSubstr("expected an array of texts, found i32"));
  EXPECT_THAT(message_of([&] { metadata.numbers("ts"); }), HasSubstr("expected an array of numbers, found array of text"));
}

TEST(Gguf, PlacesTensorsByTheFilesAlignment) {
  GgufParts parts = with_infos({info_of("b", {32, 3}, 2, 64), info_of("a", {2, 1}, 0, 0)}, 64 + 54);
  parts.pairs = {pair_u32("general.alignment", 64)};
  parts.alignment = 64;
  parts.data.replace(0, 8, raw(1.5F) + raw(-2.0F));
  const std::string bytes = gguf_file(parts);
  const GgufContents contents = parse_gguf(as_bytes(bytes), "m.gguf");
  ASSERT_EQ(contents.tensors.size(), 2U);
  EXPECT_EQ(contents.tensors[0].name, "a");
  EXPECT_THAT(contents.tensors[0].view.shape, ElementsAre(1, 2));  // outermost first
  EXPECT_EQ(std::memcmp(contents.tensors[0].view.data, (raw(1.5F) + raw(-2.0F)).data(), 8), 0);
  EXPECT_EQ(contents.tensors[1].view.dtype, DType::kQ4_0);
  EXPECT_THAT(contents.tensors[1].view.shape, ElementsAre(3, 32));
  EXPECT_EQ(contents.tensors[1].view.data - contents.tensors[0].view.data, 64);
}

class GgufFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("attnviz-gguf-") + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  fs::path write_part(std::uint16_t number, std::uint16_t claimed, std::uint16_t count, const std::string& tensor) {
    GgufParts parts = with_infos({info_of(tensor, {4}, 0, 0)}, 16);
    parts.pairs = {pair_of("split.no", 2, raw(claimed)), pair_of("split.count", 2, raw(count)),
                   pair_of("split.tensors.count", 5, raw(std::int32_t{2})), pair_text("general.name", tensor)};
    return write("m-0000" + std::to_string(number) + "-of-00002.gguf", gguf_file(parts));
  }

  fs::path folder_;
};

TEST_F(GgufFiles, AllPartsOfASplitFile) {
  const fs::path first = write_part(1, 0, 2, "b");
  const fs::path second = write_part(2, 1, 2, "a");
  for (const fs::path& any : {first, second}) {
    const auto file = open_gguf(any);
    EXPECT_EQ(file->n_parts(), 2U);
    EXPECT_EQ(file->where(), any.string());
    EXPECT_EQ(file->metadata().text("general.name"), "b");
    ASSERT_EQ(file->tensors().size(), 2U);
    EXPECT_NE(file->find("a"), nullptr);
    EXPECT_NE(file->find("b"), nullptr);
  }
  EXPECT_EQ(find_gguf(folder_), first);
}

TEST_F(GgufFiles, PartsThatDoNotBelongTogether) {
  const fs::path first = write_part(1, 0, 2, "a");
  EXPECT_THAT(message_of([&] { open_gguf(first); }), HasSubstr("m-00002-of-00002.gguf is missing"));
  write_part(2, 0, 2, "b");
  EXPECT_THAT(message_of([&] { open_gguf(first); }), HasSubstr("\"split.no\": expected 1"));
  write_part(2, 1, 3, "b");
  EXPECT_THAT(message_of([&] { open_gguf(first); }), HasSubstr("\"split.count\": expected 2, as in the file's name, found 3"));
  write_part(2, 1, 2, "a");
  EXPECT_THAT(message_of([&] { open_gguf(first); }), HasSubstr("\"a\" is in two of the parts"));
  const fs::path renamed = folder_ / "m.gguf";
  fs::copy_file(first, renamed);
  EXPECT_THAT(message_of([&] { open_gguf(renamed); }), HasSubstr("expected a name that ends in -00001-of-00002.gguf"));
  fs::rename(renamed, folder_ / "m-00001-of-00001.gguf");
  EXPECT_THAT(message_of([&] { open_gguf(folder_ / "m-00001-of-00001.gguf"); }), HasSubstr("\"split.count\": expected 1"));
}

TEST_F(GgufFiles, ATensorIsMissingFromTheParts) {
  GgufParts parts = with_infos({info_of("t", {4}, 0, 0)}, 16);
  parts.pairs = {pair_of("split.tensors.count", 5, raw(std::int32_t{2}))};
  EXPECT_THAT(message_of([&] { open_gguf(write("m.gguf", gguf_file(parts))); }),
              HasSubstr("expected 2 tensors in all parts, found 1"));
}

TEST_F(GgufFiles, FoundByNameFirstBytesOrFolder) {
  EXPECT_EQ(find_gguf(folder_), std::nullopt);
  const fs::path blob = write("blob", gguf_file({}));
  EXPECT_EQ(find_gguf(blob), blob);
  EXPECT_EQ(find_gguf(write("notes.txt", "text")), std::nullopt);
  const fs::path one = write("one.gguf", gguf_file({}));
  EXPECT_EQ(find_gguf(one), one);
  EXPECT_EQ(find_gguf(folder_), one);
  write("two.gguf", gguf_file({}));
  EXPECT_EQ(find_gguf(folder_), std::nullopt);  // which one?
  fs::remove(folder_ / "two.gguf");
  write("config.json", "{}");
  EXPECT_EQ(find_gguf(folder_), std::nullopt);  // a folder as save_pretrained writes it comes first
}

}  // namespace
}  // namespace attnviz
