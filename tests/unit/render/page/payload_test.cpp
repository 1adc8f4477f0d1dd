// The page's numbers, packed and read back by a second implementation, written from docs/page.md.
#include "render/page/payload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <libdeflate.h>

#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

std::string decode_text(std::string_view text) {
  std::array<int, 128> values{};
  int n = 0;
  for (int c = 33; c < 127; ++c) values[static_cast<std::size_t>(c)] = c == '<' || c == '>' || c == '&' ? -1 : n++;
  std::vector<bool> bits;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const bool is_pair = i + 1 < text.size();
    int value = values[static_cast<std::size_t>(text[i])];
    if (is_pair) value += 91 * values[static_cast<std::size_t>(text[i + 1])];
    for (int bit = 0; bit < (is_pair ? 13 : 6); ++bit) bits.push_back((value >> bit & 1) != 0);
  }
  std::string bytes(bits.size() / 8, '\0');
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) bytes[i / 8] = static_cast<char>(bytes[i / 8] | (bits[i] << (i % 8)));
  return bytes;
}

std::string inflate(std::string_view packed, std::size_t n_byte) {
  std::string bytes(n_byte, '\0');
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  std::size_t used = 0;
  std::size_t made = 0;
  const auto result =
      libdeflate_deflate_decompress_ex(decompressor, packed.data(), packed.size(), bytes.data(), bytes.size(), &used, &made);
  libdeflate_free_decompressor(decompressor);
  EXPECT_EQ(result, LIBDEFLATE_SUCCESS);
  EXPECT_EQ(used, packed.size()) << "a browser refuses bytes behind the stream";
  EXPECT_EQ(made, n_byte);
  return bytes;
}

AttentionMap random_map(std::size_t n_query, std::size_t n_key) {
  std::mt19937 random(7);
  AttentionMap map{Site::kSelf, 0, 0, n_query, n_key, {}};
  for (std::size_t i = 0; i < n_query * n_key; ++i) {
    const float exponent = static_cast<float>(random() % 1000) / 100;
    map.pattern.push_back(i % 7 == 0 ? 0.0f : std::pow(10.0f, -exponent));
  }
  return map;
}

TEST(PageText, EveryLengthReadsBack) {
  std::mt19937 random(3);
  for (std::size_t n = 0; n < 80; ++n) {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i) bytes.push_back(static_cast<char>(random() % 256));
    std::string text;
    append_encoded(bytes, &text);
    EXPECT_EQ(decode_text(text), bytes) << n;
    EXPECT_LE(text.size(), n * 16 / 13 + 2);
  }
}

TEST(PageText, NothingCanEndAScript) {
  std::string bytes;
  for (int i = 0; i < 1 << 16; ++i) bytes += {static_cast<char>(i & 255), static_cast<char>(i >> 8)};
  std::string text;
  append_encoded(bytes, &text);
  for (const char c : text) ASSERT_TRUE(c >= '!' && c <= '~' && c != '<' && c != '>' && c != '&') << c;
}

TEST(PageCodes, AreWithinTheStatedErrorAndByColumns) {
  const AttentionMap map = random_map(37, 53);
  const float maximum = maximum_of(map);
  std::string text;
  append_codes(map, maximum, &text);
  const std::string codes = inflate(decode_text(text), map.pattern.size());
  for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
    for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
      const double code = static_cast<std::uint8_t>(codes[key_pos * map.n_query + query_pos]);
      const double weight = map.at(query_pos, key_pos);
      const double shown = maximum * (code / kTopCode) * (code / kTopCode);
      const double bound = maximum * (std::sqrt(weight / maximum) + 1.0 / 1016) / 254;
      const double smallest = double{maximum} / (254.0 * 254.0);  // of a weight that is not 0
      EXPECT_LE(std::abs(shown - weight), std::max(bound, smallest) * (1 + 1e-4)) << weight;
      EXPECT_LE(std::abs(shown - weight), 0.004 * maximum);
      EXPECT_EQ(code == 0, weight == 0);
    }
  }
}

TEST(PageCodes, MaximumIsExactAndWhatIsNoWeightIsMarked) {
  EXPECT_EQ(code_of(0.7f, 0.7f), kTopCode);
  EXPECT_EQ(code_of(0.0f, 0.7f), 0);
  EXPECT_EQ(code_of(1e-30f, 0.7f), 1);
  EXPECT_EQ(code_of(0.0f, 0.0f), 0);
  for (const float bad : {-0.1f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(code_of(bad, 0.7f), kBadCode);
    AttentionMap map{Site::kSelf, 0, 0, 1, 2, {}};
    map.pattern = {bad, 0.25f};
    EXPECT_EQ(maximum_of(map), 0.25f);
  }
}

TEST(PageExact, EveryBitReadsBack) {
  const AttentionMap map = random_map(33, 65);
  std::string text;
  append_exact(map, &text);
  const std::size_t n = map.pattern.size();
  const std::string planes = inflate(decode_text(text), 4 * n);
  for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
    for (std::size_t key_pos = 0; key_pos < map.n_key; ++key_pos) {
      std::uint32_t bits = 0;
      for (std::size_t plane = 0; plane < 4; ++plane) {
        bits |= std::uint32_t{static_cast<std::uint8_t>(planes[plane * n + key_pos * map.n_query + query_pos])} << (8 * plane);
      }
      EXPECT_EQ(bits, std::bit_cast<std::uint32_t>(map.at(query_pos, key_pos)));
    }
  }
}

TEST(PageThumbnail, KeepsTheLargestOfEachTile) {
  AttentionMap map{Site::kSelf, 0, 0, 100, 60, {}};
  map.pattern.assign(6000, 0.0f);
  map.pattern[99 * 60 + 59] = 1.0f;
  map.pattern[0] = 0.25f;
  const std::vector<std::uint8_t> codes = thumbnail_of(map, 1.0f, 24);
  ASSERT_EQ(codes.size(), 24u * 24u);
  EXPECT_EQ(codes.back(), kTopCode);
  EXPECT_EQ(codes.front(), kTopCode / 2);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 0), 24 * 24 - 2);
}

TEST(PageThumbnail, OfAFewTokensIsTheMapItself) {
  const AttentionMap map = small_trace().maps.front();
  const std::vector<std::uint8_t> codes = thumbnail_of(map, 1.0f, 24);
  ASSERT_EQ(codes.size(), 25u);
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes[i], code_of(map.pattern[i], 1.0f));
}

}  // namespace
}  // namespace attnviz
