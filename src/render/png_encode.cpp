// See png_encode.h. The pixels are compressed by stb_image_write; our chunks go in right after its IHDR.
#include "render/png_encode.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace attnviz {
namespace {

// Signature (8 bytes), then IHDR: length, name, 13 bytes of data, checksum.
constexpr std::size_t kEndOfHeader = 8 + 4 + 4 + 13 + 4;

std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = make_crc_table();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

void append_u32(std::string* bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(value >> shift));
}

void append_chunk(std::string* bytes, std::string_view name, std::string_view data) {
  append_u32(bytes, static_cast<std::uint32_t>(data.size()));
  const std::string checked = std::string(name) + std::string(data);
  *bytes += checked;
  append_u32(bytes, crc32(checked));
}

void append_resolution(std::string* bytes, double dpi) {
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / 0.0254));
  std::string data;
  append_u32(&data, per_metre);
  append_u32(&data, per_metre);
  data.push_back(1);  // the unit is the metre
  append_chunk(bytes, "pHYs", data);
}

void append_text(std::string* bytes, const PngText& text) {
  const bool plain = std::all_of(text.text.begin(), text.text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
  const std::string keyword = text.keyword + '\0';
  if (plain) {
    append_chunk(bytes, "tEXt", keyword + text.text);
    return;
  }
  std::string data = keyword + std::string(4, '\0');  // not compressed, method 0, no language, no translated keyword
  for (const char c : text.text) {
    if (c != '\0') data += c;
  }
  append_chunk(bytes, "iTXt", data);
}

void append_bytes(void* context, void* data, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

}  // namespace

std::string encode_png(const PngImage& image, double dpi, std::span<const PngText> texts) {
  std::string pixels;
  const auto width = static_cast<int>(image.width);
  stbi_write_png_compression_level = 6;
  if (image.rgb.size() != image.width * image.height * 3 ||
      stbi_write_png_to_func(append_bytes, &pixels, width, static_cast<int>(image.height), 3, image.rgb.data(), width * 3) == 0) {
    throw Error(ErrorKind::kOutput,
                fmt::format("png: a picture of {} x {} pixels cannot be encoded; try a lower --dpi", image.width, image.height));
  }
  std::string png = pixels.substr(0, kEndOfHeader);
  append_resolution(&png, dpi);
  for (const PngText& text : texts) append_text(&png, text);
  png.append(pixels, kEndOfHeader);
  return png;
}

}  // namespace attnviz
