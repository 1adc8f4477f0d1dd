// See text_engine.h.
#include "render/text_engine.h"

#include <pango/pangocairo.h>
#include <pango/pangofc-font.h>

#include <numbers>
#include <string>
#include <unordered_map>

namespace attnviz {
namespace {

constexpr double kEngineSize = 64;  // units; all texts are scaled from it
constexpr const char* kFamilies = "Noto Sans, DejaVu Sans, sans-serif";

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
  void operator()(PangoFontDescription* description) const { pango_font_description_free(description); }
  void operator()(PangoLayoutIter* iterator) const { pango_layout_iter_free(iterator); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

Owned<PangoFontDescription> describe(PangoWeight weight) {
  Owned<PangoFontDescription> description(pango_font_description_new());
  pango_font_description_set_family_static(description.get(), kFamilies);
  pango_font_description_set_weight(description.get(), weight);
  pango_font_description_set_absolute_size(description.get(), kEngineSize * PANGO_SCALE);
  return description;
}

bool has_colour_glyphs(PangoFont* font) {
  if (!PANGO_IS_FC_FONT(font)) return false;
  FcPattern* pattern = nullptr;
  g_object_get(font, "pattern", &pattern, nullptr);
  FcBool colour = FcFalse;
  return pattern != nullptr && FcPatternGetBool(pattern, FC_COLOR, 0, &colour) == FcResultMatch && colour == FcTrue;
}

void draw_run(cairo_t* cairo, PangoLayoutRun* run, double x, double y) {
  cairo_move_to(cairo, x, y);
  if (has_colour_glyphs(run->item->analysis.font)) {
    pango_cairo_show_glyph_string(cairo, run->item->analysis.font, run->glyphs);
  } else {
    pango_cairo_glyph_string_path(cairo, run->item->analysis.font, run->glyphs);
    cairo_fill(cairo);
  }
}

}  // namespace

struct TextEngine::State {
  Owned<PangoFontMap> fonts{pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT)};
  Owned<PangoContext> context{pango_font_map_create_context(fonts.get())};
  Owned<PangoLayout> layout{pango_layout_new(context.get())};
  Owned<PangoFontDescription> regular = describe(PANGO_WEIGHT_NORMAL);
  Owned<PangoFontDescription> semi_bold = describe(PANGO_WEIGHT_SEMIBOLD);
  std::unordered_map<std::string, double> widths[2];  // by weight, at kEngineSize

  void set(std::string_view text, FontWeight weight) {
    pango_layout_set_font_description(layout.get(), weight == FontWeight::kRegular ? regular.get() : semi_bold.get());
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  }

  double measure() {
    PangoRectangle logical;
    pango_layout_get_extents(layout.get(), nullptr, &logical);
    return static_cast<double>(logical.width) / PANGO_SCALE;
  }
};

TextEngine::TextEngine() : state_(std::make_unique<State>()) {
  Owned<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(state_->context.get(), options.get());
  pango_cairo_context_set_resolution(state_->context.get(), 96);
  pango_context_set_round_glyph_positions(state_->context.get(), FALSE);
  pango_context_set_language(state_->context.get(),
                             pango_language_from_string("en"));  // not the user's locale: same bytes anywhere
  pango_layout_set_single_paragraph_mode(state_->layout.get(), TRUE);
}

TextEngine::~TextEngine() = default;

double TextEngine::width(std::string_view text, double size, FontWeight weight) {
  auto& known = state_->widths[weight == FontWeight::kRegular ? 0 : 1];
  constexpr std::size_t kMostRemembered = 20000;
  if (known.size() > kMostRemembered) known.clear();
  const auto [entry, is_new] = known.try_emplace(std::string(text), 0.0);
  if (is_new) {
    state_->set(text, weight);
    entry->second = state_->measure();
  }
  return entry->second * size / kEngineSize;
}

void TextEngine::draw(cairo_t* cairo, const SceneText& text) {
  state_->set(text.text, text.weight);
  const double scale = text.size / kEngineSize;
  const double start = text.anchor == Anchor::kStart ? 0 : state_->measure() * (text.anchor == Anchor::kMiddle ? -0.5 : -1.0);
  cairo_save(cairo);
  cairo_translate(cairo, text.x, text.y);
  cairo_rotate(cairo, text.angle * std::numbers::pi / 180);
  cairo_scale(cairo, scale, scale);
  cairo_set_source_rgb(cairo, text.colour.r / 255.0, text.colour.g / 255.0, text.colour.b / 255.0);
  Owned<PangoLayoutIter> iterator(pango_layout_get_iter(state_->layout.get()));
  do {
    PangoLayoutRun* run = pango_layout_iter_get_run_readonly(iterator.get());
    if (run == nullptr) continue;
    PangoRectangle logical;
    pango_layout_iter_get_run_extents(iterator.get(), nullptr, &logical);
    draw_run(cairo, run, start + static_cast<double>(logical.x) / PANGO_SCALE, 0);
  } while (pango_layout_iter_next_run(iterator.get()));
  cairo_restore(cairo);
}

TextEngine& shared_text_engine() {
  thread_local TextEngine engine;
  return engine;
}

}  // namespace attnviz
