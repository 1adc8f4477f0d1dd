// See png_encode.h. stb_image_write makes the rows and chunks, libdeflate compresses and sums; our chunks go in right after its
// IHDR.
//
// Measured on maps, grids and textures of 512 tokens: no filter at libdeflate's level 5 gives files as small as stb's own
// compressor for a fifth of its time. The up filter saves 8% on maps but costs 25% on grids; level 7 saves up to a fifth, on maps
// alone, for 40% more time; level 9 takes four times as long. A palette does not hold the colours, because text is smoothed.
#include "render/picture/png_encode.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <libdeflate.h>

namespace {

constexpr int kCompressionLevel = 5;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

// stb_image_write's hooks; stb frees what the first returns. A null pointer makes stb report that it failed.
unsigned char* compress_zlib(unsigned char* data, int n_byte, int* n_out, int) {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kCompressionLevel));
  if (compressor == nullptr) return nullptr;
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), static_cast<std::size_t>(n_byte));
  auto* out = static_cast<unsigned char*>(std::malloc(bound));
  if (out == nullptr) return nullptr;
  *n_out = static_cast<int>(libdeflate_zlib_compress(compressor.get(), data, static_cast<std::size_t>(n_byte), out, bound));
  return out;
}

unsigned int sum_crc32(const void* data, int n_byte) { return libdeflate_crc32(0, data, static_cast<std::size_t>(n_byte)); }

}  // namespace

#define STBIW_ZLIB_COMPRESS compress_zlib
#define STBIW_CRC32 sum_crc32
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#include <stb_image_write.h>

#include "base/setting_error.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace attnviz {
namespace {

// Signature (8 bytes), then IHDR: length, name, 13 bytes of data, checksum.
constexpr std::size_t kEndOfHeader = 8 + 4 + 4 + 13 + 4;

void append_u32(std::string* bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(value >> shift));
}

void append_chunk(std::string* bytes, std::string_view name, std::string_view data) {
  append_u32(bytes, static_cast<std::uint32_t>(data.size()));
  const std::string checked = std::string(name) + std::string(data);
  *bytes += checked;
  append_u32(bytes, libdeflate_crc32(0, checked.data(), checked.size()));
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
  const auto n_channels = static_cast<int>(image.n_channels);
  [[maybe_unused]] static const int no_filter = stbi_write_force_png_filter = 0;  // once: threads encode side by side
  if (image.pixels.size() != image.width * image.height * image.n_channels ||
      stbi_write_png_to_func(append_bytes, &pixels, width, static_cast<int>(image.height), n_channels, image.pixels.data(),
                             width * n_channels) == 0) {
    throw SettingError(ErrorKind::kOutput,
                       {fmt::format("png: a picture of {} x {} pixels cannot be encoded; try a lower ", image.width, image.height),
                        Setting::kDpi});
  }
  std::string png = pixels.substr(0, kEndOfHeader);
  append_resolution(&png, dpi);
  for (const PngText& text : texts) append_text(&png, text);
  png.append(pixels, kEndOfHeader);
  return png;
}

}  // namespace attnviz
