// See text_runs.h.
#include "render/picture/text_runs.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pango/pangofc-font.h>

#include "base/utf8.h"
#include "render/picture/owned-inl.h"

namespace attnviz {
namespace {

constexpr double kImageScale = 2;  // pixels of such an image in a unit of the layout, which is set in 64 units

double units(int pango) { return static_cast<double>(pango) / PANGO_SCALE; }

bool is_missing(PangoGlyph glyph) {
  return glyph != PANGO_GLYPH_EMPTY && (glyph == PANGO_GLYPH_INVALID_INPUT || (glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0);
}

bool has_colour_glyphs(PangoFont* font) {
  if (!PANGO_IS_FC_FONT(font)) return false;
  FcPattern* pattern = nullptr;
  g_object_get(font, "pattern", &pattern, nullptr);
  FcBool colour = FcFalse;
  return pattern != nullptr && FcPatternGetBool(pattern, FC_COLOR, 0, &colour) == FcResultMatch && colour == FcTrue;
}

// Calls visit(run, x) for the runs of a line, each with its distance from the start.
template <typename Visit>
void for_each_run(PangoLayout* line, const Visit& visit) {
  const Owned<PangoLayoutIter> iterator(pango_layout_get_iter(line));
  do {
    PangoLayoutRun* run = pango_layout_iter_get_run_readonly(iterator.get());
    if (run == nullptr) continue;
    PangoRectangle logical;
    pango_layout_iter_get_run_extents(iterator.get(), nullptr, &logical);
    visit(run, units(logical.x));
  } while (pango_layout_iter_next_run(iterator.get()));
}

bool has_missing_glyphs(const PangoGlyphString* glyphs) {
  for (int i = 0; i < glyphs->num_glyphs; ++i) {
    if (is_missing(glyphs->glyphs[i].glyph)) return true;
  }
  return false;
}

bool is_image(cairo_t* cairo) { return cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE; }

void show(cairo_t* cairo, const PangoLayoutRun* run, double x, double y) {
  cairo_move_to(cairo, x, y);
  pango_cairo_show_glyph_string(cairo, run->item->analysis.font, run->glyphs);
}

void draw_as_image(cairo_t* cairo, const PangoLayoutRun* run, double x) {
  PangoRectangle ink;
  pango_glyph_string_extents(run->glyphs, run->item->analysis.font, &ink, nullptr);
  const double left = std::floor(units(ink.x)) - 1;
  const double top = std::floor(units(ink.y)) - 1;
  const auto width = static_cast<int>((std::ceil(units(ink.x + ink.width)) + 1 - left) * kImageScale);
  const auto height = static_cast<int>((std::ceil(units(ink.y + ink.height)) + 1 - top) * kImageScale);
  const Owned<cairo_surface_t> image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  const Owned<cairo_t> on_image(cairo_create(image.get()));
  cairo_scale(on_image.get(), kImageScale, kImageScale);
  cairo_set_source(on_image.get(), cairo_get_source(cairo));
  show(on_image.get(), run, -left, -top);
  cairo_surface_flush(image.get());
  cairo_save(cairo);
  cairo_translate(cairo, x + left, top);
  cairo_scale(cairo, 1 / kImageScale, 1 / kImageScale);
  cairo_set_source_surface(cairo, image.get(), 0, 0);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

// Cairo leaves out what cannot be seen at all, such as blanks and what is fully transparent; this is the least it draws.
void show_unseen(cairo_t* cairo, std::string_view text, double x, PangoLayout* dot) {
  const auto show_for_text = [&](const PangoLayoutRun* run, double) {
    cairo_scaled_font_t* font = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(run->item->analysis.font));
    if (font == nullptr || run->glyphs->num_glyphs == 0) return;
    const cairo_glyph_t glyph{run->glyphs->glyphs[0].glyph, x, 0};
    const cairo_text_cluster_t cluster{static_cast<int>(text.size()), 1};
    cairo_save(cairo);
    cairo_set_source_rgba(cairo, 0.5, 0.5, 0.5, 1.0 / 255);
    cairo_set_scaled_font(cairo, font);
    cairo_show_text_glyphs(cairo, text.data(), cluster.num_bytes, &glyph, 1, &cluster, 1, cairo_text_cluster_flags_t{});
    cairo_restore(cairo);
  };
  if (!text.empty()) for_each_run(dot, show_for_text);
}

// The characters of valid UTF-8 from last to first.
std::string backwards(std::string_view text) {
  std::string turned;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t begin = utf8_begin(text, end - 1);
    turned += text.substr(begin, end - begin);
    end = begin;
  }
  return turned;
}

// From left to right, as on the page: PDF readers expect that, and reverse right-to-left scripts themselves.
// Cairo needs the text in the order of its glyphs. Poppler and MuPDF also reverse ligatures letter by letter; PDFium does not.
void show_right_to_left(cairo_t* cairo, const PangoLayoutRun* run, std::string_view text, double x) {
  cairo_scaled_font_t* font = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(run->item->analysis.font));
  if (font == nullptr) return;
  std::string turned;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
  std::size_t end = text.size();  // of the cluster that a glyph belongs to
  std::size_t begin = end;
  for (int i = 0; i < run->glyphs->num_glyphs; ++i) {
    const PangoGlyphInfo& info = run->glyphs->glyphs[i];
    if (const auto start = static_cast<std::size_t>(run->glyphs->log_clusters[i]); start < begin) {
      end = std::exchange(begin, start);
      turned += backwards(text.substr(begin, end - begin));
      clusters.push_back({static_cast<int>(end - begin), 0});
    }
    if (info.glyph != PANGO_GLYPH_EMPTY && !clusters.empty()) {
      glyphs.push_back({info.glyph, x + units(info.geometry.x_offset), units(info.geometry.y_offset)});
      ++clusters.back().num_glyphs;
    }
    x += units(info.geometry.width);
  }
  cairo_set_scaled_font(cairo, font);
  cairo_show_text_glyphs(cairo, turned.data(), static_cast<int>(turned.size()), glyphs.data(), static_cast<int>(glyphs.size()),
                         clusters.data(), static_cast<int>(clusters.size()), cairo_text_cluster_flags_t{});
}

void draw_run(cairo_t* cairo, PangoLayoutRun* run, double x, PangoLayout* line, PangoLayout* dot) {
  const char* all = pango_layout_get_text(line);
  const std::string_view text(all + run->item->offset, static_cast<std::size_t>(run->item->length));
  const bool is_outline = !has_colour_glyphs(run->item->analysis.font) && !has_missing_glyphs(run->glyphs);
  if (!is_image(cairo)) {
    if (is_outline && run->item->analysis.level % 2 == 1) {
      show_right_to_left(cairo, run, text, x);
    } else if (is_outline) {
      cairo_move_to(cairo, x, 0);
      pango_cairo_show_glyph_item(cairo, all, run);
    } else {
      show_unseen(cairo, text, x, dot);
      draw_as_image(cairo, run, x);
    }
  } else if (is_outline) {
    cairo_move_to(cairo, x, 0);
    pango_cairo_glyph_string_path(cairo, run->item->analysis.font, run->glyphs);
    cairo_fill(cairo);
  } else {
    show(cairo, run, x, 0);
  }
}

}  // namespace

bool has_colour_glyphs(PangoLayout* line) {
  bool found = false;
  for_each_run(line, [&](const PangoLayoutRun* run, double) { found = found || has_colour_glyphs(run->item->analysis.font); });
  return found;
}

std::vector<char32_t> missing_code_points(PangoLayout* line) {
  std::vector<char32_t> code_points;
  if (pango_layout_get_unknown_glyphs_count(line) == 0) return code_points;
  for_each_run(line, [&](const PangoLayoutRun* run, double) {
    for (int i = 0; i < run->glyphs->num_glyphs; ++i) {
      const PangoGlyph glyph = run->glyphs->glyphs[i].glyph;
      if (!is_missing(glyph)) continue;
      code_points.push_back(glyph == PANGO_GLYPH_INVALID_INPUT ? U'\uFFFD' : char32_t{glyph & ~PANGO_GLYPH_UNKNOWN_FLAG});
    }
  });
  return code_points;
}

void draw_line(cairo_t* cairo, PangoLayout* line, PangoLayout* dot) {
  for_each_run(line, [&](PangoLayoutRun* run, double x) { draw_run(cairo, run, x, line, dot); });
}

}  // namespace attnviz
