// flat_bytes.h: what is written is read in place, blocks that end early are refused, and the checksum sees what changes.
#include "base/flat_bytes.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(FlatBytes, WhatIsWrittenIsRead) {
  FlatWriter out;
  out.number<std::uint8_t>(7);
  out.text("ab");
  const std::vector<double> values = {1.5, -2};
  out.array(std::span<const double>(values));
  out.number<std::int32_t>(-3);
  out.array(std::span<const std::uint32_t>());
  const FlatBytes block = FlatBytes::of(out.take());
  FlatReader in(block.bytes, "test");
  EXPECT_EQ(in.number<std::uint8_t>(), 7);
  EXPECT_EQ(in.text(), "ab");
  const auto read = in.array<double>();
  EXPECT_EQ(std::vector<double>(read.begin(), read.end()), values);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.data()) % kFlatAlignment, 0U) << "arrays are used where they lie";
  EXPECT_EQ(in.number<std::int32_t>(), -3);
  EXPECT_TRUE(in.array<std::uint32_t>().empty());
  EXPECT_EQ(in.remaining(), 0U);
  EXPECT_THROW(in.number<std::uint8_t>(), Error);
}

TEST(FlatBytes, CountsThatTheBytesCannotHoldAreRefused) {
  for (const std::uint64_t n : {std::uint64_t{3}, std::uint64_t{1} << 61, std::numeric_limits<std::uint64_t>::max()}) {
    FlatWriter out;
    out.number(n);
    out.number<std::uint64_t>(0);
    out.number<std::uint64_t>(0);
    const FlatBytes block = FlatBytes::of(out.take());
    EXPECT_THROW(FlatReader(block.bytes, "test").array<std::uint64_t>(), Error) << n;
    EXPECT_THROW(FlatReader(block.bytes, "test").array<double>(), Error) << n;
  }
}

TEST(FlatBytes, PaddingMayNotBeMissing) {
  FlatWriter out;
  out.number<std::uint64_t>(0);
  out.number<std::uint64_t>(0);
  const FlatBytes block = FlatBytes::of(out.take().substr(0, 9));
  FlatReader in(block.bytes, "test");
  in.number<std::uint8_t>();
  EXPECT_THROW(in.array<std::uint64_t>(), Error);
}

TEST(FlatBytes, ABlockBeginsAtAMultipleOfEight) {
  alignas(8) std::array<std::byte, 16> bytes{};
  EXPECT_THROW(FlatReader(std::span(bytes).subspan(1), "test"), Error);
}

TEST(Checksum, SeesEveryChangedBitAndEveryLength) {
  for (const std::size_t n : {0, 1, 7, 8, 63, 64, 65, 200}) {
    std::vector<std::byte> bytes(n, std::byte{0x5A});
    std::set<std::uint64_t> sums{checksum_of(bytes)};
    for (std::size_t bit = 0; bit < n * 8; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
      sums.insert(checksum_of(bytes));
      bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    }
    EXPECT_EQ(sums.size(), n * 8 + 1) << n;
  }
  std::set<std::uint64_t> lengths;
  const std::vector<std::byte> zeros(300);
  for (std::size_t n = 0; n <= zeros.size(); ++n) lengths.insert(checksum_of(std::span(zeros).first(n)));
  EXPECT_EQ(lengths.size(), zeros.size() + 1);
}

TEST(Checksum, SeesWordsThatTradePlaces) {
  std::vector<std::byte> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const std::uint64_t sum = checksum_of(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 64);
  EXPECT_NE(checksum_of(bytes), sum);
}

TEST(Checksum, DoesNotDependOnTheAddress) {
  std::vector<std::byte> bytes(101, std::byte{3});
  const std::uint64_t sum = checksum_of(std::span(bytes).first(100));
  EXPECT_EQ(checksum_of(std::span(bytes).subspan(1)), sum);
}

}  // namespace
}  // namespace attnviz
