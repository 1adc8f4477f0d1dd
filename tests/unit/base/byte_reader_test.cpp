// The byte reader: little-endian numbers, and no read past the end.
#include "base/byte_reader.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

constexpr std::byte kBytes[] = {std::byte{1}, std::byte{2}, std::byte{0}, std::byte{0}, std::byte{'a'}, std::byte{'b'}};

TEST(ByteReader, ReadsInOrder) {
  ByteReader reader(kBytes, "f");
  EXPECT_EQ(reader.read<std::uint32_t>("count"), 0x201U);
  EXPECT_EQ(reader.position(), 4U);
  EXPECT_EQ(reader.take_text(2, "name"), "ab");
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_TRUE(reader.take(0, "nothing").empty());
}

TEST(ByteReader, NamesWhatDoesNotFit) {
  ByteReader reader(kBytes, "f");
  reader.take(1, "x");
  try {
    reader.read<std::uint64_t>("the size");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("f: ends early; expected 8 bytes of the size at offset 1, found 5"));
  }
  EXPECT_THROW(reader.take(SIZE_MAX, "x"), Error);
  EXPECT_EQ(reader.position(), 1U);
}

}  // namespace
}  // namespace attnviz
