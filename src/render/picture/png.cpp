// See png.h.
#include "render/picture/png.h"

#include <attnviz/error.h>

#include <cmath>
#include <cstring>

#include <cairo.h>
#include <fmt/format.h>

#include "base/setting_error.h"
#include "render/picture/canvas.h"
#include "render/picture/owned-inl.h"
#include "render/picture/png_encode.h"

namespace attnviz {
namespace {

std::uint8_t without_alpha(std::uint32_t channel, std::uint32_t alpha) {
  return alpha == 0 ? 0 : static_cast<std::uint8_t>((channel * 255 + alpha / 2) / alpha);
}

// Cairo's 32-bit pixels (native order 0xAARRGGBB, colours multiplied by alpha) as PNG has them, without alpha where none is wanted.
PngImage image_of(cairo_surface_t* surface, bool with_alpha) {
  cairo_surface_flush(surface);
  PngImage image{.width = static_cast<std::size_t>(cairo_image_surface_get_width(surface)),
                 .height = static_cast<std::size_t>(cairo_image_surface_get_height(surface)),
                 .n_channels = with_alpha ? 4U : 3U};
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  image.pixels.resize(image.width * image.height * image.n_channels);
  std::uint8_t* out = image.pixels.data();
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * stride + x * 4, 4);
      const std::uint32_t alpha = with_alpha ? pixel >> 24 : 255;
      for (const int shift : {16, 8, 0}) {
        const std::uint32_t channel = pixel >> shift & 255;
        *out++ = alpha == 255 ? static_cast<std::uint8_t>(channel) : without_alpha(channel, alpha);
      }
      if (with_alpha) *out++ = static_cast<std::uint8_t>(alpha);
    }
  }
  return image;
}

PngImage rasterise(const Scene& scene, double dpi, TextEngine* text) {
  const double scale = dpi / 96;
  const auto width = static_cast<int>(std::lround(scene.width * scale));
  const auto height = static_cast<int>(std::lround(scene.height * scale));
  const cairo_format_t format = scene.transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24;
  const Owned<cairo_surface_t> surface(cairo_image_surface_create(format, width, height));
  const Owned<cairo_t> cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  draw_scene(scene, cairo.get(), text);
  if (const cairo_status_t status = cairo_status(cairo.get()); status != CAIRO_STATUS_SUCCESS) {
    throw SettingError(ErrorKind::kOutput, {fmt::format("png: drawing {} x {} pixels failed: {}; try a lower ", width, height,
                                                        cairo_status_to_string(status)),
                                            Setting::kDpi});
  }
  return image_of(surface.get(), scene.transparent);
}

}  // namespace

std::string render_png(const Figure& figure, const Style& style, RenderNotes* notes) {
  const Scene scene = compose_picture(figure, style, notes);
  std::vector<PngText> texts{{"Software", "attnviz"}, {"Title", picture_title(figure, style)}};
  if (!figure.command.empty()) texts.push_back({"Description", figure.command});
  return encode_png(rasterise(scene, style.dpi, &shared_text_engine(style.font)), style.dpi, texts);
}

}  // namespace attnviz
