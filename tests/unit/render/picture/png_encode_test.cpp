// The chunks of a PNG: order, lengths, checksums, resolution and text; pixels come back as they went in.
#include "render/picture/png_encode.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

struct Chunk {
  std::string name;
  std::string data;
};

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

// Bit by bit, unlike the table in the encoder.
std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

std::vector<Chunk> chunks_of(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t length = u32(png, at);
    chunks.push_back({png.substr(at + 4, 4), png.substr(at + 8, length)});
    EXPECT_EQ(u32(png, at + 8 + length), slow_crc(chunks.back().name + chunks.back().data)) << chunks.back().name;
    at += 12 + length;
  }
  return chunks;
}

PngImage gradient(std::size_t width, std::size_t height) {
  PngImage image{.width = width, .height = height};
  for (std::size_t i = 0; i < width * height * 3; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  return image;
}

TEST(EncodePng, PixelsSurvive) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 5}, {64, 40}}) {
    const PngImage image = gradient(width, height);
    const std::string png = encode_png(image, 96, {});
    int w = 0;
    int h = 0;
    int n = 0;
    unsigned char* pixels =
        stbi_load_from_memory(reinterpret_cast<const unsigned char*>(png.data()), static_cast<int>(png.size()), &w, &h, &n, 3);
    ASSERT_NE(pixels, nullptr);
    EXPECT_EQ(w, static_cast<int>(width));
    EXPECT_EQ(h, static_cast<int>(height));
    EXPECT_EQ(std::memcmp(pixels, image.pixels.data(), image.pixels.size()), 0);
    stbi_image_free(pixels);
  }
}

TEST(EncodePng, ChunksFollowTheHeader) {
  const std::vector<PngText> texts{{"Software", "attnviz"}, {"Description", "attnviz 'caf\u00E9 \u4F60'"}};
  const std::vector<Chunk> chunks = chunks_of(encode_png(gradient(4, 4), 300, texts));
  std::vector<std::string> names;
  for (const Chunk& chunk : chunks) names.push_back(chunk.name);
  EXPECT_THAT(names, testing::ElementsAre("IHDR", "pHYs", "tEXt", "iTXt", "IDAT", "IEND"));
  EXPECT_EQ(u32(chunks[1].data, 0), 11811U);  // 300 dpi in pixels a metre
  EXPECT_EQ(u32(chunks[1].data, 4), 11811U);
  EXPECT_EQ(chunks[1].data[8], 1);
  EXPECT_EQ(chunks[2].data, std::string("Software\0attnviz", 16));
  EXPECT_EQ(chunks[3].data, std::string("Description\0\0\0\0\0", 16) + texts[1].text);
}

}  // namespace
}  // namespace attnviz
