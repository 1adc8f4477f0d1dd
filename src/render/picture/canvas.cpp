// See canvas.h.
#include "render/picture/canvas.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include <cairo.h>

#include "render/picture/cell_image.h"

namespace attnviz {
namespace {

void set_colour(cairo_t* cairo, Rgb colour) { cairo_set_source_rgb(cairo, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0); }

void fill_rect(cairo_t* cairo, const SceneRect& rect) {
  set_colour(cairo, rect.colour);
  cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
  cairo_fill(cairo);
}

// Cells that touch: one small image, enlarged without smoothing, instead of a rectangle each.
void draw_as_image(const SceneCells& cells, cairo_t* cairo) {
  const bool is_file = cairo_surface_get_type(cairo_get_target(cairo)) != CAIRO_SURFACE_TYPE_IMAGE;
  const CellPixels pixels_of = is_file ? cell_pixels(cells) : CellPixels{};
  const auto width = static_cast<int>(cells.n_columns * pixels_of.across);
  const auto height = static_cast<int>(cells.n_rows * pixels_of.down);
  cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    cairo_surface_flush(image);
    unsigned char* pixels = cairo_image_surface_get_data(image);
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image));
    for (std::size_t y = 0; y < cells.n_rows * pixels_of.down; ++y) {
      for (std::size_t x = 0; x < cells.n_columns * pixels_of.across; ++x) {
        const Rgb colour = cells.colours[y / pixels_of.down * cells.n_columns + x / pixels_of.across];
        const std::uint32_t pixel = (std::uint32_t{colour.r} << 16) | (std::uint32_t{colour.g} << 8) | colour.b;
        std::memcpy(pixels + y * stride + x * 4, &pixel, 4);
      }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cairo);
    cairo_translate(cairo, cells.x, cells.y);
    cairo_scale(cairo, cells.cell_width / static_cast<double>(pixels_of.across),
                cells.cell_height / static_cast<double>(pixels_of.down));
    cairo_set_source_surface(cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, 0, 0, width, height);
    cairo_fill(cairo);
    cairo_restore(cairo);
  }
  cairo_surface_destroy(image);
}

void draw_cells(const SceneCells& cells, cairo_t* cairo) {
  if (cells.gap == 0) {
    draw_as_image(cells, cairo);
    return;
  }
  for (std::size_t row = 0; row < cells.n_rows; ++row) {
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      fill_rect(cairo,
                {cells.x + static_cast<double>(column) * cells.cell_width, cells.y + static_cast<double>(row) * cells.cell_height,
                 cells.cell_width - cells.gap, cells.cell_height - cells.gap, cells.colours[row * cells.n_columns + column]});
    }
  }
}

void draw_hatch(const SceneHatch& hatch, cairo_t* cairo) {
  fill_rect(cairo, {hatch.x, hatch.y, hatch.width, hatch.height, hatch.ground});
  cairo_save(cairo);
  cairo_rectangle(cairo, hatch.x, hatch.y, hatch.width, hatch.height);
  cairo_clip(cairo);
  set_colour(cairo, hatch.colour);
  cairo_set_line_width(cairo, kHatchLine);
  for (const auto& [from, to] : hatch_lines(hatch)) {
    cairo_move_to(cairo, from.x, from.y);
    cairo_line_to(cairo, to.x, to.y);
  }
  cairo_stroke(cairo);
  cairo_restore(cairo);
}

void draw_line(const SceneLine& line, cairo_t* cairo) {
  set_colour(cairo, line.colour);
  cairo_set_line_width(cairo, line.width);
  cairo_move_to(cairo, line.x1, line.y1);
  cairo_line_to(cairo, line.x2, line.y2);
  cairo_stroke(cairo);
}

void draw_curve(const SceneCurve& curve, cairo_t* cairo) {
  cairo_set_source_rgba(cairo, curve.colour.r / 255.0, curve.colour.g / 255.0, curve.colour.b / 255.0, curve.opacity);
  cairo_set_line_width(cairo, curve.width);
  cairo_move_to(cairo, curve.x1, curve.y1);
  cairo_curve_to(cairo, curve.control_x1, curve.control_y1, curve.control_x2, curve.control_y2, curve.x2, curve.y2);
  cairo_stroke(cairo);
}

void draw_frame(const SceneFrame& frame, cairo_t* cairo) {
  set_colour(cairo, frame.colour);
  cairo_set_line_width(cairo, frame.line_width);
  cairo_rectangle(cairo, frame.x, frame.y, frame.width, frame.height);
  cairo_stroke(cairo);
}

}  // namespace

void draw_scene(const Scene& scene, cairo_t* cairo, TextEngine* text) {
  if (!scene.transparent) {
    set_colour(cairo, scene.background);
    cairo_paint(cairo);
  }
  // Rectangles and cells are on whole device pixels; without smoothing no rounding of the scale can blur their edges.
  cairo_save(cairo);
  cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
  for (const SceneRect& rect : scene.rects) fill_rect(cairo, rect);
  for (const SceneCells& cells : scene.cells) draw_cells(cells, cairo);
  cairo_restore(cairo);
  for (const SceneHatch& hatch : scene.hatches) draw_hatch(hatch, cairo);
  for (const SceneLine& line : scene.lines) draw_line(line, cairo);
  for (const SceneCurve& curve : scene.curves) draw_curve(curve, cairo);
  for (const SceneFrame& frame : scene.frames) draw_frame(frame, cairo);
  for (const SceneText& one : scene.texts) text->draw(cairo, one);
}

}  // namespace attnviz
