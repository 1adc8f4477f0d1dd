// Every way a safetensors file can lie, each with its message; and good files, single and sharded.
#include "formats/weights/safetensors.h"

#include <attnviz/error.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string with_size(std::uint64_t size, const std::string& rest) {
  std::string bytes(sizeof(size), '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  return bytes + rest;
}

std::string file_of(const std::string& header, const std::string& data = "") { return with_size(header.size(), header + data); }

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string message_of(const std::string& bytes) {
  try {
    parse_safetensors(as_bytes(bytes), "m.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_THAT(error.what(), testing::StartsWith("m.safetensors: "));
    return error.what();
  }
  return "no error";
}

// One tensor "a" with these fields.
std::string one(const std::string& fields, const std::string& data = "") { return file_of("{\"a\":{" + fields + "}}", data); }

struct Broken {
  const char* name;
  std::string bytes;
  std::vector<std::string> facts;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

std::vector<Broken> broken_files() {
  const std::string u8 = "\"dtype\":\"U8\",\"shape\":[4],";
  const std::string range = "\"data_offsets\":[0,4]";
  const auto two = [](const std::string& first, const std::string& second) {
    return "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" + first +
           "]},\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" + second + "]}}";
  };
  return {
      {"Empty", "", {"expected at least 8 bytes, found 0"}},
      {"SevenBytes", std::string(7, '\0'), {"expected at least 8 bytes, found 7"}},
      {"HeaderPastTheFile", with_size(50, "{}"), {"expected a header of 50 bytes, found 2"}},
      {"HeaderPastTheLimit", with_size(100'000'001, "{}"), {"at most 100000000 bytes", "100000001"}},
      {"HeaderSizeHuge", with_size(UINT64_MAX, "{}"), {"at most 100000000 bytes", "18446744073709551615"}},
      {"GitLfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", {"Git LFS pointer", "git lfs pull"}},
      {"HeaderEmpty", file_of(""), {"starts with {, found nothing"}},
      {"HeaderNotJson", file_of("{not json"), {"not valid JSON at its byte 3"}},
      {"HeaderTrailing", file_of("{}{}"), {"not valid JSON at its byte 3"}},
      {"HeaderIsAnArray", file_of("[1,2]"), {"starts with {, found \"[1,2]\""}},
      {"HeaderStartsWithSpace", file_of(" {}"), {"starts with {, found \" {}\""}},
      {"HeaderNotUtf8", file_of("{\"\xff\":1}"), {"not UTF-8 at its byte 2"}},
      {"HeaderCutOff", file_of("{\"a\":{\"dtype\":\"U8\""), {"not valid JSON"}},
      {"DuplicateName", file_of("{\"a\":{" + u8 + range + "},\"a\":{" + u8 + range + "}}", "1234"), {"tensor \"a\"", "twice"}},
      {"DuplicateField", one(u8 + "\"shape\":[4]," + range, "1234"), {"tensor \"a\"", "\"shape\" appears twice"}},
      {"DuplicateMetadata", file_of("{\"__metadata__\":{},\"__metadata__\":{}}"), {"__metadata__", "twice"}},
      {"MetadataNotAMap", file_of("{\"__metadata__\":3}"), {"__metadata__", "object of strings, found 3"}},
      {"MetadataIsAList", file_of("{\"__metadata__\":[]}"), {"__metadata__", "object of strings, found an array"}},
      {"MetadataNotStrings", file_of("{\"__metadata__\":{\"k\":1}}"), {"__metadata__ \"k\"", "expected a string, found 1"}},
      {"MetadataNested", file_of("{\"__metadata__\":{\"k\":{}}}"), {"__metadata__ \"k\"", "expected a string, found an object"}},
      {"TensorNotAnObject", file_of("{\"a\":null}"), {"tensor \"a\"", "object with dtype", "found null"}},
      {"NoDtype", one("\"shape\":[4]," + range, "1234"), {"tensor \"a\"", "has no \"dtype\""}},
      {"NoShape", one("\"dtype\":\"U8\"," + range, "1234"), {"tensor \"a\"", "has no \"shape\""}},
      {"NoOffsets", one("\"dtype\":\"U8\",\"shape\":[4]", "1234"), {"tensor \"a\"", "has no \"data_offsets\""}},
      {"UnknownDtype", one("\"dtype\":\"Q7\",\"shape\":[4]," + range, "1234"), {"tensor \"a\"", "unknown dtype \"Q7\""}},
      {"DtypeNotAString", one("\"dtype\":5,\"shape\":[4]," + range, "1234"), {"tensor \"a\"", "dtype: expected a string, found 5"}},
      {"DtypeAnObject", one("\"dtype\":{},\"shape\":[4]," + range, "1234"), {"dtype: expected a string, found an object"}},
      {"ShapeNotAnArray",
       one("\"dtype\":\"U8\",\"shape\":4," + range, "1234"),
       {"tensor \"a\"", "shape: expected an array, found 4"}},
      {"ShapeNested", one("\"dtype\":\"U8\",\"shape\":[[4]]," + range, "1234"), {"shape: expected whole numbers", "an array"}},
      {"ShapeNegative",
       one("\"dtype\":\"U8\",\"shape\":[-4]," + range, "1234"),
       {"tensor \"a\"", "shape: expected whole", "found -4"}},
      {"ShapeFraction", one("\"dtype\":\"U8\",\"shape\":[4.5]," + range, "1234"), {"shape: expected whole", "found 4.5"}},
      {"ShapeString", one("\"dtype\":\"U8\",\"shape\":[\"4\"]," + range, "1234"), {"shape: expected whole", "found \"4\""}},
      {"ShapeHuge", one("\"dtype\":\"U8\",\"shape\":[18446744073709551616]," + range), {"shape", "found 18446744073709551616"}},
      {"ShapeOverflows",
       one("\"dtype\":\"U8\",\"shape\":[4294967296,4294967296,2]," + range, "1234"),
       {"tensor \"a\"", "[4294967296, 4294967296, 2]", "64-bit"}},
      {"BitsOverflow", one("\"dtype\":\"F64\",\"shape\":[288230376151711745]," + range, "1234"), {"tensor \"a\"", "64-bit"}},
      {"OffsetsNotAnArray", one(u8 + "\"data_offsets\":{}", "1234"), {"data_offsets: expected an array, found an object"}},
      {"OffsetsThree", one(u8 + "\"data_offsets\":[0,4,4]", "1234"), {"[begin, end], found 3"}},
      {"OffsetsEmpty", one(u8 + "\"data_offsets\":[]", "1234"), {"[begin, end], found 0"}},
      {"OffsetsNegative", one(u8 + "\"data_offsets\":[-4,0]", "1234"), {"data_offsets: expected whole", "found -4"}},
      {"BeginAfterEnd", one(u8 + "\"data_offsets\":[4,0]", "1234"), {"tensor \"a\"", "begins at 4 after its end 0"}},
      {"PastTheData", one(u8 + "\"data_offsets\":[4,8]", "1234"), {"tensor \"a\"", "ends at byte 8", "at most 4"}},
      {"TruncatedTail", one(u8 + range, "123"), {"tensor \"a\"", "ends at byte 4", "at most 3"}},
      {"WrongByteCount",
       one("\"dtype\":\"F32\",\"shape\":[4]," + range, "1234"),
       {"tensor \"a\"", "F32 [4]: expected 16 bytes", "[0, 4) of 4"}},
      {"HalfAByte", one("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]", "12"), {"takes 12 bits", "multiple of 8"}},
      {"Overlap", file_of(two("0,4", "2,6"), "123456"), {"tensor \"b\"", "overlaps tensor \"a\"", "begin at 4, found 2"}},
      {"SameRange", file_of(two("0,4", "0,4"), "1234"), {"overlaps tensor", "begin at 4, found 0"}},
      {"Hole", file_of(two("0,4", "5,9"), "123456789"), {"tensor \"b\"", "hole", "begin at 4, found 5"}},
      {"HoleAtTheStart", one(u8 + "\"data_offsets\":[1,5]", "12345"), {"tensor \"a\"", "hole", "begin at 0, found 1"}},
      {"BytesAfterTheLast", one(u8 + range, "12345"), {"last tensor at 4, found 1 more bytes"}},
      {"DataWithoutTensors", file_of("{}", "xyz"), {"last tensor at 0, found 3 more bytes"}},
      {"NameWithControls", file_of("{\"\\u001b[2Ja\":1}"), {"tensor \"\\x1B[2Ja\""}},
      {"DeepUnclosed", file_of("{\"a\":{\"x\":" + std::string(100'000, '[')), {"not valid JSON"}},
  };
}

class BrokenFile : public testing::TestWithParam<Broken> {};

TEST_P(BrokenFile, IsRefusedWithTheFacts) {
  const std::string message = message_of(GetParam().bytes);
  for (const std::string& fact : GetParam().facts) EXPECT_THAT(message, HasSubstr(fact));
}

INSTANTIATE_TEST_SUITE_P(Safetensors, BrokenFile, testing::ValuesIn(broken_files()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Safetensors, ReadsTensorsSortedByName) {
  const std::string bytes =
      file_of(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},)"
              R"("a":{"dtype":"I8","shape":[],"data_offsets":[4,5]},"none":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]}}  )",
              "12345");
  const auto tensors = parse_safetensors(as_bytes(bytes), "m");
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].view.shape, Shape{});
  EXPECT_EQ(*tensors[0].view.data, std::byte{'5'});
  EXPECT_EQ(tensors[1].name, "b");
  EXPECT_EQ(tensors[1].view.dtype, DType::kF16);
  EXPECT_EQ(tensors[1].view.shape, (Shape{1, 2}));
  EXPECT_EQ(*tensors[1].view.data, std::byte{'1'});
  EXPECT_EQ(tensors[2].view.shape, (Shape{0, 7}));
}

TEST(Safetensors, AcceptsNoTensorsAtAll) { EXPECT_TRUE(parse_safetensors(as_bytes(file_of("{}")), "m").empty()); }

TEST(Safetensors, SkipsUnknownFieldsHoweverDeep) {
  const std::string deep(50'000, '[');
  const std::string bytes = one("\"x\":" + deep + std::string(deep.size(), ']') +
                                    ",\"y\":{\"dtype\":[1]},\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]",
                                "1");
  EXPECT_EQ(parse_safetensors(as_bytes(bytes), "m").size(), 1U);
}

TEST(Safetensors, KnowsEveryTypeOfTheFormat) {
  for (const char* name :
       {"BOOL", "F4",  "F6_E2M3", "F6_E3M2", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
        "I16",  "U16", "F16",     "BF16",    "I32", "U32", "F32",     "C64",     "F64",     "I64",         "U64"}) {
    const auto dtype = dtype_from_name(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(dtype_name(*dtype), name);
    const std::size_t n_bytes = dtype_bits(*dtype);  // of 8 elements
    const std::string bytes =
        one("\"dtype\":\"" + std::string(name) + "\",\"shape\":[2,4],\"data_offsets\":[0," + std::to_string(n_bytes) + "]",
            std::string(n_bytes, 'x'));
    EXPECT_EQ(parse_safetensors(as_bytes(bytes), "m")[0].view.dtype, *dtype) << name;
  }
}

}  // namespace
}  // namespace attnviz
