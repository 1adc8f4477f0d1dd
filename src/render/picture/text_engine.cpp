// See text_engine.h.
//
// A text that was drawn on an image is kept as a mask, by what decides its pixels: string, weight, size, angle, anchor, and where
// between two pixels it stands, to 1/256. The first drawing goes through the mask as well, so what is kept changes no pixel.
#include "render/picture/text_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <map>
#include <numbers>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pango/pangocairo.h>

#include "render/picture/owned-inl.h"
#include "render/picture/text_runs.h"

namespace attnviz {
namespace {

constexpr double kEngineSize = 64;                        // units; all texts are scaled from it
constexpr double kPlaces = 256;                           // between two pixels
constexpr std::size_t kMaskBytes = std::size_t{4} << 20;  // of all masks that are kept

Owned<PangoFontDescription> describe(const std::string& family, PangoWeight weight) {
  Owned<PangoFontDescription> description(pango_font_description_new());
  pango_font_description_set_family(description.get(), fmt::format("{}", fmt::join(font_families(family), ",")).c_str());
  pango_font_description_set_weight(description.get(), weight);
  pango_font_description_set_absolute_size(description.get(), kEngineSize * PANGO_SCALE);
  return description;
}

// Coverage of a text whose anchor is (fraction of a pixel) right of and below the device pixel (0, 0).
struct Mask {
  Owned<cairo_surface_t> surface{};
  int left = 0;
  int top = 0;
  bool in_colour = false;  // has glyphs with colours of their own; no mask can hold them
};

struct DevicePoint {
  int pixel;
  int place;  // 0 .. kPlaces - 1
};

DevicePoint device_point(double position) {
  const double places = std::floor(position * kPlaces + 0.5);
  const double pixel = std::floor(places / kPlaces);
  return {static_cast<int>(pixel), static_cast<int>(places - pixel * kPlaces)};
}

// A text's width, and its characters that no font has.
struct Measured {
  double width = 0;
  std::vector<char32_t> missing{};
};

// Smallest box of whole pixels around points, and one more on each side.
struct PixelBox {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
  void add(double x, double y) {
    left = std::min(left, std::floor(x) - 1), right = std::max(right, std::ceil(x) + 1);
    top = std::min(top, std::floor(y) - 1), bottom = std::max(bottom, std::ceil(y) + 1);
  }
};

}  // namespace

struct TextEngine::State {
  explicit State(const std::string& family)
      : regular(describe(family, PANGO_WEIGHT_NORMAL)), semi_bold(describe(family, PANGO_WEIGHT_SEMIBOLD)) {}

  Owned<PangoFontMap> fonts{pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT)};
  Owned<PangoContext> context{pango_font_map_create_context(fonts.get())};
  Owned<PangoLayout> layout{pango_layout_new(context.get())};
  Owned<PangoLayout> dot{pango_layout_new(context.get())};
  Owned<PangoFontDescription> regular;
  Owned<PangoFontDescription> semi_bold;
  std::unordered_map<std::string, Measured> widths[2];  // by weight, at kEngineSize
  std::map<char32_t, std::string> missing{};            // and the first text that has it
  std::unordered_map<std::string, Mask> masks{};
  std::size_t mask_bytes = 0;

  void set(std::string_view text, FontWeight weight) {
    pango_layout_set_font_description(layout.get(), weight == FontWeight::kRegular ? regular.get() : semi_bold.get());
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  }

  double measure() {
    PangoRectangle logical;
    pango_layout_get_extents(layout.get(), nullptr, &logical);
    return static_cast<double>(logical.width) / PANGO_SCALE;
  }

  // Where a text that was set begins, from its anchor, at kEngineSize.
  double start(Anchor anchor) { return anchor == Anchor::kStart ? 0 : measure() * (anchor == Anchor::kMiddle ? -0.5 : -1.0); }

  void paint(cairo_t* cairo, const SceneText& text);
  PixelBox box(const SceneText& text, double scale, double x, double y);
  Mask make_mask(const SceneText& text, double scale, DevicePoint x, DevicePoint y);
  const Mask& mask(const SceneText& text, double scale, DevicePoint x, DevicePoint y);
};

// Draws with the source that is set, the anchor at (0, 0).
void TextEngine::State::paint(cairo_t* cairo, const SceneText& text) {
  set(text.text, text.weight);
  cairo_save(cairo);
  cairo_rotate(cairo, text.angle * std::numbers::pi / 180);
  cairo_scale(cairo, text.size / kEngineSize, text.size / kEngineSize);
  cairo_translate(cairo, start(text.anchor), 0);
  draw_line(cairo, layout.get(), dot.get());
  cairo_restore(cairo);
}

// What the ink of a text that was set covers, its anchor at (x, y) pixels.
PixelBox TextEngine::State::box(const SceneText& text, double scale, double x, double y) {
  PangoRectangle ink;
  pango_layout_get_extents(layout.get(), &ink, nullptr);
  const double unit = text.size / kEngineSize * scale;
  const double angle = text.angle * std::numbers::pi / 180;
  PixelBox box;
  for (const int right : {0, ink.width}) {
    for (const int down : {0, ink.height}) {
      const double along = (start(text.anchor) + static_cast<double>(ink.x + right) / PANGO_SCALE) * unit;
      const double across = static_cast<double>(ink.y + down - pango_layout_get_baseline(layout.get())) / PANGO_SCALE * unit;
      box.add(x + along * std::cos(angle) - across * std::sin(angle), y + along * std::sin(angle) + across * std::cos(angle));
    }
  }
  return box;
}

Mask TextEngine::State::make_mask(const SceneText& text, double scale, DevicePoint x, DevicePoint y) {
  set(text.text, text.weight);
  Mask mask{.in_colour = has_colour_glyphs(layout.get())};
  if (mask.in_colour) return mask;
  const double x_offset = x.place / kPlaces;
  const double y_offset = y.place / kPlaces;
  const PixelBox around = box(text, scale, x_offset, y_offset);
  mask.left = static_cast<int>(around.left);
  mask.top = static_cast<int>(around.top);
  mask.surface.reset(cairo_image_surface_create(CAIRO_FORMAT_A8, static_cast<int>(around.right - around.left),
                                                static_cast<int>(around.bottom - around.top)));
  const Owned<cairo_t> cairo(cairo_create(mask.surface.get()));
  cairo_translate(cairo.get(), x_offset - mask.left, y_offset - mask.top);
  cairo_scale(cairo.get(), scale, scale);
  paint(cairo.get(), text);
  cairo_surface_flush(mask.surface.get());
  return mask;
}

const Mask& TextEngine::State::mask(const SceneText& text, double scale, DevicePoint x, DevicePoint y) {
  const double numbers[] = {text.size, text.angle, scale};
  const int choices[] = {static_cast<int>(text.weight), static_cast<int>(text.anchor), x.place, y.place};
  std::string key(sizeof numbers + sizeof choices, '\0');
  std::memcpy(key.data(), numbers, sizeof numbers);
  std::memcpy(key.data() + sizeof numbers, choices, sizeof choices);
  key += text.text;
  if (const auto known = masks.find(key); known != masks.end()) return known->second;
  if (mask_bytes > kMaskBytes) masks.clear(), mask_bytes = 0;
  Mask made = make_mask(text, scale, x, y);
  if (made.surface) {
    mask_bytes += static_cast<std::size_t>(cairo_image_surface_get_stride(made.surface.get()) *
                                           cairo_image_surface_get_height(made.surface.get()));
  }
  mask_bytes += key.size() + sizeof(Mask);
  return masks.emplace(std::move(key), std::move(made)).first->second;
}

TextEngine::TextEngine(const std::string& family) : state_(std::make_unique<State>(family)) {
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
  pango_layout_set_font_description(state_->dot.get(), state_->regular.get());
  pango_layout_set_text(state_->dot.get(), ".", 1);
}

TextEngine::~TextEngine() = default;

double TextEngine::width(std::string_view text, double size, FontWeight weight) {
  auto& known = state_->widths[weight == FontWeight::kRegular ? 0 : 1];
  constexpr std::size_t kMostRemembered = 20000;
  if (known.size() > kMostRemembered) known.clear();
  const auto [entry, is_new] = known.try_emplace(std::string(text));
  Measured& measured = entry->second;
  if (is_new) {
    state_->set(text, weight);
    measured = {state_->measure(), missing_code_points(state_->layout.get())};
  }
  for (const char32_t c : measured.missing) state_->missing.try_emplace(c, text);
  return measured.width * size / kEngineSize;
}

std::vector<MissingGlyph> TextEngine::take_missing() {
  std::vector<MissingGlyph> taken;
  for (auto& [code_point, text] : std::exchange(state_->missing, {})) taken.push_back({code_point, std::move(text)});
  return taken;
}

void TextEngine::draw(cairo_t* cairo, const SceneText& text) {
  cairo_set_source_rgb(cairo, text.colour.r / 255.0, text.colour.g / 255.0, text.colour.b / 255.0);
  cairo_matrix_t matrix;
  cairo_get_matrix(cairo, &matrix);
  const bool upright = matrix.xy == 0 && matrix.yx == 0 && matrix.xx == matrix.yy;
  if (upright && cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE) {
    const DevicePoint x = device_point(matrix.x0 + matrix.xx * text.x);
    const DevicePoint y = device_point(matrix.y0 + matrix.yy * text.y);
    const Mask& mask = state_->mask(text, matrix.xx, x, y);
    if (!mask.in_colour) {
      cairo_save(cairo);
      cairo_identity_matrix(cairo);
      cairo_mask_surface(cairo, mask.surface.get(), x.pixel + mask.left, y.pixel + mask.top);
      cairo_restore(cairo);
      return;
    }
  }
  cairo_save(cairo);
  cairo_translate(cairo, text.x, text.y);
  state_->paint(cairo, text);
  cairo_restore(cairo);
}

namespace {

struct EngineInTheMaking {
  std::string family;
  std::future<std::unique_ptr<TextEngine>> engine;
};
thread_local EngineInTheMaking in_the_making;

std::unique_ptr<TextEngine> make_ready_engine(const std::string& family) {
  auto engine = std::make_unique<TextEngine>(family);
  Owned<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 32, 32));
  Owned<cairo_t> cairo(cairo_create(surface.get()));
  for (const FontWeight weight : {FontWeight::kRegular, FontWeight::kSemiBold}) {
    engine->draw(cairo.get(), {.x = 0, .y = 16, .text = "Layer", .weight = weight});
  }
  return engine;
}

}  // namespace

void prepare_text_engine(const std::string& family) {
  if (in_the_making.engine.valid()) return;
  try {
    in_the_making = {family, std::async(std::launch::async, make_ready_engine, family)};
  } catch (const std::system_error&) {  // no thread available: it is made when needed
  }
}

TextEngine& shared_text_engine(const std::string& family) {
  thread_local std::map<std::string, std::unique_ptr<TextEngine>> engines;
  std::unique_ptr<TextEngine>& engine = engines[family];
  if (!engine) {
    const bool is_made = in_the_making.engine.valid() && in_the_making.family == family;
    engine = is_made ? in_the_making.engine.get() : std::make_unique<TextEngine>(family);
  }
  return *engine;
}

std::vector<std::string> font_families(const std::string& family) {
  std::vector<std::string> families{"Noto Sans", "DejaVu Sans", "sans-serif"};
  if (!family.empty()) families.insert(families.begin(), family);
  return families;
}

}  // namespace attnviz
