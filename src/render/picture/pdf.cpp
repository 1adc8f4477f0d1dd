// See pdf.h.
#include "render/picture/pdf.h"

#include <attnviz/error.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <cairo-pdf.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/utf8.h"
#include "render/picture/canvas.h"
#include "render/picture/owned-inl.h"

namespace attnviz {
namespace {

constexpr double kPoints = 72.0 / 96;  // in a unit

cairo_status_t append_bytes(void* out, const unsigned char* data, unsigned int n_byte) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), n_byte);
  return CAIRO_STATUS_SUCCESS;
}

// An ISO 8601 date where the environment asks for one (reproducible-builds.org), empty otherwise: Cairo then writes none.
std::string creation_date() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr) return "";
  const std::string_view digits = epoch;
  std::int64_t seconds = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  constexpr std::int64_t kEndOfYear9999 = 253402300799;
  if (fault != std::errc{} || end != digits.data() + digits.size() || seconds < 0 || seconds > kEndOfYear9999) return "";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// What Cairo takes for text: it refuses noncharacters (Unicode, 23.7), and a string ends at its first zero byte.
std::string cairo_text(std::string_view text) {
  std::string taken;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const char32_t p = c.code_point;
    const bool is_character = c.length > 0 && p != 0 && (p < 0xFDD0 || p > 0xFDEF) && (p & 0xFFFE) != 0xFFFE;
    append_utf8(&taken, is_character ? p : 0xFFFD);
    at += std::max<std::size_t>(c.length, 1);
  }
  return taken;
}

void set_metadata(cairo_surface_t* surface, const Figure& figure, const Style& style) {
  const auto set = [&](cairo_pdf_metadata_t key, const std::string& value) {
    cairo_pdf_surface_set_metadata(surface, key, cairo_text(value).c_str());
  };
  set(CAIRO_PDF_METADATA_TITLE, picture_title(figure, style));
  set(CAIRO_PDF_METADATA_SUBJECT, figure.command);
  set(CAIRO_PDF_METADATA_CREATOR, "attnviz");
  set(CAIRO_PDF_METADATA_CREATE_DATE, creation_date());
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorKind::kOutput, fmt::format("pdf: the picture cannot be drawn: {}", cairo_status_to_string(status)));
}

}  // namespace

std::string render_pdf(const Figure& figure, const Style& style, RenderNotes* notes) {
  Scene scene = compose_picture(figure, style, notes);
  for (SceneText& text : scene.texts) text.text = cairo_text(text.text);
  std::string bytes;
  const Owned<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, scene.width * kPoints, scene.height * kPoints));
  set_metadata(surface.get(), figure, style);
  {
    const Owned<cairo_t> cairo(cairo_create(surface.get()));
    cairo_scale(cairo.get(), kPoints, kPoints);
    draw_scene(scene, cairo.get(), &shared_text_engine(style.font));
    check(cairo_status(cairo.get()));
  }
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return bytes;
}

}  // namespace attnviz
