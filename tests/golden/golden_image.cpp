// See golden_image.h.
#include "golden_image.h"

#include <fmt/format.h>

#include "base/file.h"
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

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace attnviz {
namespace {

// Outlines are filled with 256 levels of coverage, and another build of FreeType or Cairo may round a coverage or a Bezier point
// differently: that moves edge pixels by a few levels, a handful by more. One label set a pixel lower changes hundreds.
constexpr int kChannelTolerance = 24;
constexpr std::size_t kPixelTolerance = 30;

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_all(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

PngImage decode(const std::string& png) {
  int width = 0;
  int height = 0;
  int channels = 0;
  unsigned char* pixels = stbi_load_from_memory(reinterpret_cast<const unsigned char*>(png.data()), static_cast<int>(png.size()),
                                                &width, &height, &channels, 3);
  PngImage image;
  if (pixels == nullptr) return image;
  image.width = static_cast<std::size_t>(width);
  image.height = static_cast<std::size_t>(height);
  image.pixels.assign(pixels, pixels + image.width * image.height * 3);
  stbi_image_free(pixels);
  return image;
}

int channel_difference(const PngImage& a, const PngImage& b, std::size_t x, std::size_t y) {
  if (x >= a.width || y >= a.height || x >= b.width || y >= b.height) return 255;
  int most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    most = std::max(most, std::abs(a.pixels[(y * a.width + x) * 3 + c] - b.pixels[(y * b.width + x) * 3 + c]));
  }
  return most;
}

void copy_into(const PngImage& from, std::size_t left, PngImage* to) {
  for (std::size_t y = 0; y < from.height; ++y) {
    std::copy_n(from.pixels.data() + y * from.width * 3, from.width * 3, to->pixels.data() + (y * to->width + left) * 3);
  }
}

// Three panels side by side; in the middle one what differs is black.
PngImage strip_of(const PngImage& expected, const PngImage& actual) {
  const std::size_t width = std::max(expected.width, actual.width);
  PngImage strip{.width = 3 * width, .height = std::max(expected.height, actual.height)};
  strip.pixels.assign(strip.width * strip.height * 3, 255);
  copy_into(expected, 0, &strip);
  copy_into(actual, 2 * width, &strip);
  for (std::size_t y = 0; y < strip.height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const auto shade = static_cast<std::uint8_t>(255 - channel_difference(expected, actual, x, y));
      std::fill_n(strip.pixels.data() + (y * strip.width + width + x) * 3, 3, shade);
    }
  }
  return strip;
}

}  // namespace

GoldenResult compare_with_golden(const std::string& name, const std::string& png) {
  const auto committed = std::filesystem::path(ATTNVIZ_TEST_DIR) / "pictures" / (name + ".png");
  if (std::getenv("ATTNVIZ_UPDATE_GOLDEN") != nullptr) {
    write_all(committed, png);
    return {false, fmt::format("wrote {}; look at it, then run again without ATTNVIZ_UPDATE_GOLDEN", committed.string())};
  }
  const PngImage expected = decode(read_all(committed));
  const PngImage actual = decode(png);
  std::size_t n_different = 0;
  for (std::size_t y = 0; y < std::max(expected.height, actual.height); ++y) {
    for (std::size_t x = 0; x < std::max(expected.width, actual.width); ++x) {
      if (channel_difference(expected, actual, x, y) > kChannelTolerance) ++n_different;
    }
  }
  const bool same_size = expected.width == actual.width && expected.height == actual.height;
  if (same_size && n_different <= kPixelTolerance) return {true, ""};
  const auto strip = std::filesystem::path(ATTNVIZ_GOLDEN_OUT) / (name + "-expected-difference-actual.png");
  write_all(strip, encode_png(strip_of(expected, actual), 96, {}));
  return {false, fmt::format("{}: {} pixels differ by more than {} levels (at most {} may), sizes {} x {} and {} x {}; see {}",
                             name, n_different, kChannelTolerance, kPixelTolerance, expected.width, expected.height, actual.width,
                             actual.height, strip.string())};
}

std::string rasterised_svg(const std::string& svg) {
  const auto folder = std::filesystem::path(ATTNVIZ_GOLDEN_OUT);
  write_all(folder / "picture.svg", svg);
  const std::string command = fmt::format("rsvg-convert '{0}/picture.svg' -o '{0}/picture-svg.png'", folder.string());
  return std::system(command.c_str()) == 0 ? read_all(folder / "picture-svg.png") : "";
}

std::string rasterised_pdf(const std::string& pdf) {
  const auto folder = std::filesystem::path(ATTNVIZ_GOLDEN_OUT);
  write_all(folder / "picture.pdf", pdf);
  const std::string command = fmt::format("pdftoppm -r 96 -png -singlefile '{0}/picture.pdf' '{0}/picture-pdf'", folder.string());
  return std::system(command.c_str()) == 0 ? read_all(folder / "picture-pdf.png") : "";
}

}  // namespace attnviz
