// .npy files assembled byte by byte: every kind of number, both orders, text, and what is refused.
#include "formats/maps/npy.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Version 1: magic, version, length of the header, the header's dictionary, data.
std::string npy(const std::string& dictionary, const std::string& data) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header + data;
}

std::string dictionary(const std::string& type, const std::string& shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", type, fortran ? "True" : "False", shape);
}

template <class Number>
std::string raw(const std::vector<Number>& numbers, bool big_endian = false) {
  std::string bytes;
  for (const Number number : numbers) {
    char item[sizeof(Number)];
    std::memcpy(item, &number, sizeof(Number));
    if (big_endian) std::reverse(std::begin(item), std::end(item));
    bytes.append(item, sizeof(Number));
  }
  return bytes;
}

NpyArray parse(const std::string& bytes) { return parse_npy(std::as_bytes(std::span(bytes.data(), bytes.size())), "a.npy"); }

std::string message_of(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

std::vector<float> matrix(const std::string& bytes, std::size_t index, std::size_t n) {
  std::vector<float> values(n);
  read_matrix(parse(bytes), index, values.data());
  return values;
}

TEST(Npy, RealNumbersOfEveryWidthAndOrderBecomeF32) {
  const std::vector<double> numbers{0, 1, 2, 3, 4, 5};
  const std::vector<float> floats(numbers.begin(), numbers.end());
  const std::vector<std::uint16_t> halves{0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
  for (const bool big : {false, true}) {
    const char order = big ? '>' : '<';
    EXPECT_THAT(matrix(npy(dictionary(fmt::format("{}f2", order), "2, 3"), raw(halves, big)), 0, 6), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(matrix(npy(dictionary(fmt::format("{}f4", order), "2, 3"), raw(floats, big)), 0, 6), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(matrix(npy(dictionary(fmt::format("{}f8", order), "2, 3"), raw(numbers, big)), 0, 6),
                ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

TEST(Npy, AMatrixIsTakenOutOfItsAxes) {
  std::vector<float> numbers(12);
  for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<float>(i);
  EXPECT_THAT(matrix(npy(dictionary("<f4", "3, 2, 2"), raw(numbers)), 2, 4), ElementsAre(8, 9, 10, 11));
  // In Fortran's order item (i, r, c) is number i + 3 r + 6 c.
  EXPECT_THAT(matrix(npy(dictionary("<f4", "3, 2, 2", true), raw(numbers)), 2, 4), ElementsAre(2, 8, 5, 11));
}

TEST(Npy, IndicesAndTexts) {
  EXPECT_THAT(read_indices(parse(npy(dictionary("<i8", "3,"), raw<std::int64_t>({0, 7, -1})))), ElementsAre(0, 7, kSeveral));
  EXPECT_THROW(read_indices(parse(npy(dictionary("<i8", "1,"), raw<std::int64_t>({-2})))), Error);
  EXPECT_THROW(read_indices(parse(npy(dictionary("<f4", "1,"), raw<float>({1})))), Error);
  const std::vector<std::uint32_t> letters{'a', 0x6771, 'b', 0};  // two texts of two characters, the second padded
  EXPECT_THAT(read_texts(parse(npy(dictionary("<U2", "2,"), raw(letters)))), ElementsAre("a東", "b"));
  EXPECT_THROW(read_texts(parse(npy(dictionary("<U1", "1,"), raw<std::uint32_t>({0x110000})))), Error);
}

TEST(Npy, ObjectsAreRefusedByName) {
  EXPECT_THAT(message_of(npy(dictionary("|O", "2,"), std::string(16, '\0'))), HasSubstr("object"));
}

TEST(Npy, DataMustFillTheFileToTheByte) {
  const std::string sound = npy(dictionary("<f4", "2, 3"), std::string(24, '\0'));
  EXPECT_EQ(message_of(sound), "no error");
  EXPECT_THAT(message_of(sound + "x"), HasSubstr("a.npy: "));
  EXPECT_THAT(message_of(sound.substr(0, sound.size() - 1)), HasSubstr("a.npy: "));
  EXPECT_NE(message_of(npy(dictionary("<f4", "4294967296, 4294967296, 4294967296"), "")), "no error");  // the product overflows
  for (std::size_t cut = 0; cut < 80; ++cut) EXPECT_NE(message_of(sound.substr(0, cut)), "no error") << cut;
}

TEST(Npy, IsKnownByItsFirstBytes) {
  const std::string bytes = npy(dictionary("<f4", "1,"), std::string(4, '\0'));
  EXPECT_TRUE(looks_like_npy(std::as_bytes(std::span(bytes.data(), bytes.size()))));
  EXPECT_FALSE(looks_like_npy(std::as_bytes(std::span("{\"a\": 1}", 8))));
}

}  // namespace
}  // namespace attnviz
