// Whole pictures against committed ones (pictures/*.png): what the unit tests of the layout cannot see, they would.
// The fonts are two files of DejaVu, by a configuration of the test's own.
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "figure/build.h"
#include "figure/table_figure.h"
#include "golden_image.h"
#include "render/picture/pdf.h"
#include "render/picture/png.h"
#include "render/picture/svg.h"
#include "synthetic.h"
#include "unit/figure/worded_options.h"

namespace attnviz {
namespace {

// Also when the program is started by hand. Before any font is asked for.
const int kFontsSet = setenv("FONTCONFIG_FILE", ATTNVIZ_GOLDEN_OUT "/fonts.conf", 1);

const std::vector<std::string> kSentence{"The",    "animal",  "didn", "'",   "t",     "cross", "the",
                                         "street", "because", "it",   "was", "tired", "."};

void expect_golden(const std::string& name, const Trace& trace, const Style& style = {}, const WordedOptions& figure = {}) {
  ASSERT_EQ(kFontsSet, 0);
  const GoldenResult result = compare_with_golden(name, render_png(make_figure(trace, options_for(trace, figure)), style));
  EXPECT_TRUE(result.same) << result.message;
}

const std::vector<std::string> kShort{"it", "was", "tired", "."};

// Few and small: every picture is a file in the repository.
TEST(Golden, Map) { expect_golden("map", one_map(kSentence)); }
TEST(Golden, DarkValues) { expect_golden("dark-values", one_map(kShort), {.values = true, .dark = true}); }
TEST(Golden, RowScale) { expect_golden("row-scale", one_map(kShort), {.cmap = "lagoon", .scale = Scale::kRow}); }
TEST(Golden, LogScale) { expect_golden("log-scale", one_map(kShort), {.cmap = "greys", .scale = Scale::kLog, .dpi = 120}); }
TEST(Golden, ClippedWidth) { expect_golden("clipped-width", one_map(kShort), {.cmap = "ember", .vmax = 0.4F, .width = 400}); }
TEST(Golden, Texture) { expect_golden("texture-512", one_map(numbered_words(510)), {.width = 520}); }
TEST(Golden, Grid) { expect_golden("grid", grid_of_maps(kShort, 6, 12), {.width = 560}); }

TEST(Golden, Lines) { expect_golden("lines", one_map(kShort), {.dark = true}, {.view = FigureView::kLines, .row = "tired"}); }
TEST(Golden, Row) {
  expect_golden("row", one_map(kShort), {}, {.view = FigureView::kRow, .row = "tired", .highlights = {"tired:was"}});
}
TEST(Golden, Text) { expect_golden("text", one_map(kSentence), {.values = true, .width = 400}, {.view = FigureView::kText}); }
TEST(Golden, Marks) {
  Trace trace = one_map(kShort);
  trace.maps[0].pattern[3] = std::numeric_limits<float>::quiet_NaN();
  expect_golden("marks", trace, {}, {.highlights = {"tired:was"}, .hide_sink = true});
}

// Values below 0 as well: the colours diverge at 0, bars run to both sides, links have the colour of their sign.
Trace grid_of_changes() {
  Trace trace = grid_of_maps(kShort, 3, 4);
  trace.value = {.name = "change", .unit = "nats", .is_signed = true};
  for (std::size_t m = 0; m < trace.maps.size(); ++m) {
    for (std::size_t i = 0; i < trace.maps[m].pattern.size(); ++i) {
      if ((i + m) % 3 == 0) trace.maps[m].pattern[i] *= -1;
    }
  }
  return trace;
}

TEST(Golden, SignedMap) {
  Trace trace = map_of_changes(kSentence);
  trace.maps[0].pattern[3] = std::numeric_limits<float>::quiet_NaN();
  expect_golden("signed-map", trace, {.values = true}, {.highlights = {"it:animal"}});
}
TEST(Golden, SignedDark) { expect_golden("signed-dark", map_of_changes(kShort), {.scale = Scale::kRobust, .dark = true}); }
TEST(Golden, SignedGrid) { expect_golden("signed-grid", grid_of_changes(), {}, {.highlights = {"tired:was"}}); }
TEST(Golden, SignedLines) {
  expect_golden("signed-lines", map_of_changes(kShort), {}, {.view = FigureView::kLines, .highlights = {"tired:was"}});
}
TEST(Golden, SignedRow) {
  expect_golden("signed-row", map_of_changes(kSentence), {},
                {.view = FigureView::kRow, .row = "tired", .highlights = {"tired:was"}});
}
TEST(Golden, SignedText) {
  expect_golden("signed-text", map_of_changes(kSentence), {.values = true, .width = 440}, {.view = FigureView::kText, .row = "it"});
}

// An effect over layers and heads, the strongest of them marked, one not measured.
TEST(Golden, Table) {
  Table table{.schema = "attnviz.golden/1", .rows_name = "heads"};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger},
                   {.name = "head", .kind = ColumnKind::kInteger},
                   {.name = "effect", .kind = ColumnKind::kNumber, .unit = "nats", .decimals = 2, .is_signed = true}};
  for (std::int64_t layer = 0; layer < 6; ++layer) {
    for (std::int64_t head = 0; head < 12; ++head) {
      TableCell effect = static_cast<double>((layer * 37 + head * head * 11) % 41 - 12) / 64;
      if (layer == 2 && head == 7) effect = std::monostate{};
      table.rows.push_back({layer, head, effect});
    }
  }
  table.title = "Effect of each head";
  table.subtitle = "synthetic  ·  heads left out one at a time";
  table.provenance.made_by.command = "golden";
  Figure figure = make_table_figure(table, {.value = "effect"});
  figure.highlights.push_back({.row = 5, .column = 11, .name = "L5 H11"});
  const GoldenResult result = compare_with_golden("table", render_png(figure, {}));
  EXPECT_TRUE(result.same) << result.message;
}

TEST(Golden, LongLabels) {
  Trace trace = one_map({std::string(300, 'x'), "Donaudampfschifffahrt", " ", "\n"});
  trace.notes = {"pieces merged into words", "special tokens hidden"};
  expect_golden("long-labels", trace);
}

TEST(Golden, Scripts) { expect_golden("scripts", one_map({"Ёжик", "καλημέρα", "مرحبا", "שלום", "e\u0301tude", "\u202E"})); }

TEST(Golden, Page) {
  const double mm = 96 / 25.4;
  expect_golden("page-85x70mm", one_map(kSentence),
                {.page = PageSize{.width = 85 * mm, .height = 70 * mm, .unit = "mm", .unit_size = mm}, .title = ""});
}

// The other formats as a viewer shows them, next to the PNGs of the same names.
void expect_golden_svg(const std::string& name, const Trace& trace, const Style& style = {}, const WordedOptions& options = {}) {
  const GoldenResult result =
      compare_with_golden(name + ".svg", rasterised_svg(render_svg(make_figure(trace, options_for(trace, options)), style)));
  EXPECT_TRUE(result.same) << result.message;
}

void expect_golden_pdf(const std::string& name, const Trace& trace, const Style& style = {}, const WordedOptions& options = {}) {
  const GoldenResult result =
      compare_with_golden(name + ".pdf", rasterised_pdf(render_pdf(make_figure(trace, options_for(trace, options)), style)));
  EXPECT_TRUE(result.same) << result.message;
}

const std::vector<std::string> kScripts{"Ёжик", "καλημέρα", "مرحبا", "שלום", "e\u0301tude", "\u202E"};

TEST(GoldenSvg, Map) { expect_golden_svg("map", one_map(kSentence)); }
TEST(GoldenSvg, DarkTexture) { expect_golden_svg("dark-texture", one_map(numbered_words(98)), {.dark = true, .width = 420}); }
TEST(GoldenSvg, Scripts) { expect_golden_svg("scripts", one_map(kScripts)); }
TEST(GoldenPdf, Map) { expect_golden_pdf("map", one_map(kSentence)); }
TEST(GoldenPdf, DarkTexture) { expect_golden_pdf("dark-texture", one_map(numbered_words(98)), {.dark = true, .width = 420}); }
TEST(GoldenPdf, Scripts) { expect_golden_pdf("scripts", one_map(kScripts)); }

// The views as they are in PNG.
const WordedOptions kLinesOfOne{.view = FigureView::kLines, .row = "tired"};
const WordedOptions kBarsOfOne{.view = FigureView::kRow, .row = "tired", .highlights = {"tired:was"}};
const WordedOptions kSentenceOfOne{.view = FigureView::kText};

TEST(GoldenSvg, Lines) { expect_golden_svg("lines", one_map(kShort), {.dark = true}, kLinesOfOne); }
TEST(GoldenSvg, Row) { expect_golden_svg("row", one_map(kShort), {}, kBarsOfOne); }
TEST(GoldenSvg, Text) { expect_golden_svg("text", one_map(kSentence), {.values = true, .width = 400}, kSentenceOfOne); }
TEST(GoldenSvg, Grid) { expect_golden_svg("grid", grid_of_maps(kShort, 6, 12), {.width = 560}); }
TEST(GoldenPdf, Lines) { expect_golden_pdf("lines", one_map(kShort), {.dark = true}, kLinesOfOne); }
TEST(GoldenPdf, Row) { expect_golden_pdf("row", one_map(kShort), {}, kBarsOfOne); }
TEST(GoldenPdf, Text) { expect_golden_pdf("text", one_map(kSentence), {.values = true, .width = 400}, kSentenceOfOne); }
TEST(GoldenPdf, Grid) { expect_golden_pdf("grid", grid_of_maps(kShort, 6, 12), {.width = 560}); }

}  // namespace
}  // namespace attnviz
