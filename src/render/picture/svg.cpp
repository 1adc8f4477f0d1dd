// See svg.h. Written by hand, because Cairo's SVG has outlines where people want text to search, copy and restyle; one shape a
// line, so that two pictures can be compared.
//
// Cells with a gap are rectangles, a line for each row; cells that touch are one small image that is enlarged without smoothing:
// smaller, and no viewer can leave seams in it. Every text is a <text> of its own, so directions of writing stay apart.
#include "render/picture/svg.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <glib.h>

#include "base/utf8.h"
#include "render/picture/cell_image.h"
#include "render/picture/png_encode.h"
#include "render/picture/xml_text.h"

namespace attnviz {
namespace {

class SvgWriter {
 public:
  void open(const Scene& scene, const Figure& figure, const Style& style);
  void draw(const Scene& scene);
  std::string close();

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void add_rect(double x, double y, double width, double height, Rgb colour);
  void add_image(const SceneCells& cells);
  void add_cells(const SceneCells& cells);
  void add_hatches(const std::vector<SceneHatch>& hatches);
  void add_line(const SceneLine& line);
  void add_curve(const SceneCurve& curve);
  void add_frame(const SceneFrame& frame);
  void add_text(const SceneText& text);
  void add_texts(const std::vector<SceneText>& texts);

  std::string out_;
};

// At most three decimals and no more than needed: "12.5".
std::string number(double value) {
  const long long thousandths = std::llround(value * 1000);
  std::string text = fmt::format("{}{}", thousandths < 0 ? "-" : "", std::llabs(thousandths) / 1000);
  if (const long long rest = std::llabs(thousandths) % 1000; rest != 0) {
    text += fmt::format(".{:03}", rest);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

std::string hex(Rgb colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b); }

// The families that measured the text, then what systems without them have; none of these is much wider.
std::string font_stack(const std::string& family) {
  std::vector<std::string> families = font_families(family);
  families.insert(families.end() - 1, {"Segoe UI", "Helvetica Neue", "Arial"});  // before the generic one
  std::string stack;
  for (const std::string& name : families) {
    if (!stack.empty()) stack += ", ";
    const bool is_plain =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) || c == ' ' || c == '-'; });
    if (is_plain) {
      stack += name;
      continue;
    }
    stack += '\'';
    for (const char c : name) {
      if (c == '\'' || c == '\\') stack += '\\';
      stack += c;
    }
    stack += '\'';
  }
  return stack;
}

// A page keeps the unit it was asked for in; whole pixels are the usual case.
std::string length(double units, const Style& style) {
  if (!style.page || style.page->unit == "px") return number(units);
  return number(units / style.page->unit_size) + style.page->unit;
}

void SvgWriter::open(const Scene& scene, const Figure& figure, const Style& style) {
  const std::string title = xml_text(picture_title(figure, style));
  add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {2} {3}" role="img" aria-label="{4}" )"
      R"(font-family="{5}">)"
      "\n",
      length(scene.width, style), length(scene.height, style), number(scene.width), number(scene.height), title,
      xml_text(font_stack(style.font)));
  add("<title>{}</title>\n", title);
  add("<desc>{}; rows: {}, columns: {}</desc>\n", xml_text(figure.subtitle), xml_text(figure.row_axis),
      xml_text(figure.column_axis));
  if (!figure.command.empty()) {
    add("<metadata><attnviz xmlns=\"urn:attnviz\"><command>{}</command></attnviz></metadata>\n", xml_text(figure.command));
  }
}

void SvgWriter::draw(const Scene& scene) {
  if (!scene.transparent) {
    add_rect(0, 0, scene.width, scene.height, scene.background);
    add("\n");
  }
  add("<g shape-rendering=\"crispEdges\">\n");
  for (const SceneRect& rect : scene.rects) {
    add_rect(rect.x, rect.y, rect.width, rect.height, rect.colour);
    add("\n");
  }
  for (const SceneCells& cells : scene.cells) add_cells(cells);
  add("</g>\n");
  add_hatches(scene.hatches);
  for (const SceneLine& line : scene.lines) add_line(line);
  for (const SceneCurve& curve : scene.curves) add_curve(curve);
  for (const SceneFrame& frame : scene.frames) add_frame(frame);
  add_texts(scene.texts);
}

std::string SvgWriter::close() {
  add("</svg>\n");
  return std::move(out_);
}

void SvgWriter::add_rect(double x, double y, double width, double height, Rgb colour) {
  add(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>)", number(x), number(y), number(width), number(height),
      hex(colour));
}

void SvgWriter::add_image(const SceneCells& cells) {
  const CellPixels pixels_of = cell_pixels(cells);
  PngImage image{.width = cells.n_columns * pixels_of.across, .height = cells.n_rows * pixels_of.down};
  image.pixels.reserve(image.width * image.height * 3);
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x) {
      const Rgb colour = cells.colours[y / pixels_of.down * cells.n_columns + x / pixels_of.across];
      image.pixels.insert(image.pixels.end(), {colour.r, colour.g, colour.b});
    }
  }
  const std::string png = encode_png(image, 96, {});
  gchar* const base64 = g_base64_encode(reinterpret_cast<const guchar*>(png.data()), png.size());
  add(R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" )"
      R"(style="image-rendering:optimizeSpeed;image-rendering:pixelated" href="data:image/png;base64,{}"/>)"
      "\n",
      number(cells.x), number(cells.y), number(static_cast<double>(cells.n_columns) * cells.cell_width),
      number(static_cast<double>(cells.n_rows) * cells.cell_height), base64);
  g_free(base64);
}

void SvgWriter::add_cells(const SceneCells& cells) {
  if (cells.gap == 0) {
    add_image(cells);
    return;
  }
  for (std::size_t row = 0; row < cells.n_rows; ++row) {
    add("<g>");
    for (std::size_t column = 0; column < cells.n_columns; ++column) {
      add_rect(cells.x + static_cast<double>(column) * cells.cell_width, cells.y + static_cast<double>(row) * cells.cell_height,
               cells.cell_width - cells.gap, cells.cell_height - cells.gap, cells.colours[row * cells.n_columns + column]);
    }
    add("</g>\n");
  }
}

// Their lines are counted from the picture's corner, so one pattern serves all hatches of the same colours.
void SvgWriter::add_hatches(const std::vector<SceneHatch>& hatches) {
  std::vector<std::pair<Rgb, Rgb>> known;
  for (const SceneHatch& hatch : hatches) {
    const std::pair<Rgb, Rgb> colours{hatch.ground, hatch.colour};
    const std::string name = fmt::format("hatch-{}-{}", hex(hatch.ground).substr(1), hex(hatch.colour).substr(1));
    if (std::find(known.begin(), known.end(), colours) == known.end()) {
      known.push_back(colours);
      const double p = kHatchPitch;
      add(R"(<pattern id="{0}" width="{1}" height="{1}" patternUnits="userSpaceOnUse"><rect width="{1}" height="{1}" fill="{2}"/>)"
          R"(<path d="M-1 1L1 -1M-1 {3}L{3} -1M{4} {3}L{3} {4}" stroke="{5}" stroke-width="{6}"/></pattern>)"
          "\n",
          name, number(p), hex(hatch.ground), number(p + 1), number(p - 1), hex(hatch.colour), number(kHatchLine));
    }
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{})\"/>\n", number(hatch.x), number(hatch.y),
        number(hatch.width), number(hatch.height), name);
  }
}

void SvgWriter::add_line(const SceneLine& line) {
  add("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", number(line.x1), number(line.y1),
      number(line.x2), number(line.y2), hex(line.colour), number(line.width));
}

void SvgWriter::add_curve(const SceneCurve& curve) {
  add("<path d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", number(curve.x1), number(curve.y1),
      number(curve.control_x1), number(curve.control_y1), number(curve.control_x2), number(curve.control_y2), number(curve.x2),
      number(curve.y2), hex(curve.colour), number(curve.width));
  if (curve.opacity < 1) add(" stroke-opacity=\"{}\"", number(curve.opacity));
  add("/>\n");
}

void SvgWriter::add_frame(const SceneFrame& frame) {
  add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", number(frame.x),
      number(frame.y), number(frame.width), number(frame.height), hex(frame.colour), number(frame.line_width));
}

// What a text shares with its neighbours, as attributes of their group.
std::string group_attributes(const SceneText& text) {
  std::string attributes = fmt::format("font-size=\"{}\" fill=\"{}\"", number(text.size), hex(text.colour));
  if (text.weight == FontWeight::kSemiBold) attributes += " font-weight=\"600\"";
  if (text.anchor != Anchor::kStart) {
    attributes += fmt::format(" text-anchor=\"{}\"", text.anchor == Anchor::kMiddle ? "middle" : "end");
  }
  return attributes;
}

// Blanks at the ends or side by side would be dropped.
bool has_telling_blanks(std::string_view text) {
  return text.starts_with(' ') || text.ends_with(' ') || text.find("  ") != std::string_view::npos;
}

// Hebrew, Arabic and the like: blocks that hold scripts written from right to left.
bool has_right_to_left(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const char32_t p = c.code_point;
    if ((p >= 0x590 && p <= 0x8FF) || (p >= 0xFB1D && p <= 0xFDFF) || (p >= 0xFE70 && p <= 0xFEFF) ||
        (p >= 0x10800 && p <= 0x10FFF) || (p >= 0x1E800 && p <= 0x1EFFF)) {
      return true;
    }
    at += std::max<std::size_t>(c.length, 1);
  }
  return false;
}

void SvgWriter::add_text(const SceneText& text) {
  if (text.angle == 0) {
    add("<text x=\"{}\" y=\"{}\"", number(text.x), number(text.y));
  } else {
    add("<text transform=\"translate({} {}) rotate({})\"", number(text.x), number(text.y), number(text.angle));
  }
  if (has_telling_blanks(text.text)) add(" xml:space=\"preserve\"");
  if (has_right_to_left(text.text)) add(" unicode-bidi=\"plaintext\"");  // its first letter says where it begins, as in a PNG
  add(">{}</text>\n", xml_text(text.text));
}

void SvgWriter::add_texts(const std::vector<SceneText>& texts) {
  std::string group;
  for (const SceneText& text : texts) {
    std::string attributes = group_attributes(text);
    if (attributes != group) {
      add("{}<g {}>\n", group.empty() ? "" : "</g>\n", attributes);
      group = std::move(attributes);
    }
    add_text(text);
  }
  if (!group.empty()) add("</g>\n");
}

}  // namespace

std::string render_svg(const Figure& figure, const Style& style, RenderNotes* notes) {
  const Scene scene = compose_picture(figure, style, notes);
  SvgWriter writer;
  writer.open(scene, figure, style);
  writer.draw(scene);
  return writer.close();
}

}  // namespace attnviz
