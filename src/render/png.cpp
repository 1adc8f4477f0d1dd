// See png.h.
#include "render/png.h"

#include "render/canvas.h"
#include "render/owned-inl.h"
#include "render/png_encode.h"

#include <attnviz/error.h>

#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace attnviz {
namespace {

// Cairo's 32-bit pixels (native order 0x00RRGGBB) without the unused byte.
PngImage image_of(cairo_surface_t* surface) {
  cairo_surface_flush(surface);
  PngImage image{.width = static_cast<std::size_t>(cairo_image_surface_get_width(surface)),
                 .height = static_cast<std::size_t>(cairo_image_surface_get_height(surface))};
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  image.rgb.resize(image.width * image.height * 3);
  std::uint8_t* out = image.rgb.data();
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * stride + x * 4, 4);
      *out++ = static_cast<std::uint8_t>(pixel >> 16);
      *out++ = static_cast<std::uint8_t>(pixel >> 8);
      *out++ = static_cast<std::uint8_t>(pixel);
    }
  }
  return image;
}

PngImage rasterise(const Scene& scene, double dpi, TextEngine* text) {
  const double scale = dpi / 96;
  const auto width = static_cast<int>(std::lround(scene.width * scale));
  const auto height = static_cast<int>(std::lround(scene.height * scale));
  const Owned<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const Owned<cairo_t> cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  draw_scene(scene, cairo.get(), text);
  if (const cairo_status_t status = cairo_status(cairo.get()); status != CAIRO_STATUS_SUCCESS) {
    throw Error(ErrorKind::kOutput, fmt::format("png: drawing {} x {} pixels failed: {}; try a lower --dpi", width, height,
                                                cairo_status_to_string(status)));
  }
  return image_of(surface.get());
}

}  // namespace

std::string render_png(const Figure& figure, const Style& style, RenderNotes* notes) {
  const Scene scene = compose_picture(figure, style, notes);
  std::vector<PngText> texts{{"Software", "attnviz"}, {"Title", picture_title(figure, style)}};
  if (!figure.command.empty()) texts.push_back({"Description", figure.command});
  return encode_png(rasterise(scene, style.dpi, &shared_text_engine()), style.dpi, texts);
}

}  // namespace attnviz
