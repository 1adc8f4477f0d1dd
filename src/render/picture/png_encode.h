// RGB or RGBA pixels -> PNG bytes, with resolution and text chunks (PNG specification, 2nd edition: 11.3.4 text, 11.3.5.3 pHYs).
// Tested in tests/unit/render/picture/png_encode_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attnviz {

struct PngImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t n_channels = 3;          // 4: with alpha, colours not multiplied by it
  std::vector<std::uint8_t> pixels{};  // [height, width, n_channels]
};

struct PngText {
  std::string keyword{};  // 1..79 Latin-1 characters
  std::string text{};     // UTF-8; written as tEXt where it is ASCII, as iTXt otherwise
};

std::string encode_png(const PngImage& image, double dpi, std::span<const PngText> texts);

}  // namespace attnviz
