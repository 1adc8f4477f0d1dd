// The views beside map and grid, and what any view marks: nothing overlaps or is cut, what is left out is said, bad weights are
// never coloured, text on a shade can be read.
#include <attnviz/error.h>

#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/build.h"
#include "figure/colour_map.h"
#include "figure/layout/layout.h"
#include "figure/theme.h"
#include "unit/figure/layout/scene_checks.h"
#include "unit/figure/worded_options.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using testing::HasSubstr;

constexpr float kBad = std::numeric_limits<float>::quiet_NaN();

// Words of one to twelve letters with a space between, every eighth in two pieces; softmax-like rows with a sink at the first.
Trace trace_of(std::size_t n, std::size_t n_maps = 1) {
  std::mt19937 random(static_cast<unsigned>(n));
  Trace trace;
  trace.model = {"a-model", "bert", 6, 12};
  trace.texts = {""};
  for (std::size_t i = 0; i < n; ++i) {
    const bool piece = i % 8 == 5;
    std::string word = fmt::format("{}{}", std::string(1 + random() % 9, static_cast<char>('a' + i % 26)), i);
    if (!piece && i > 0) trace.texts[0] += i % 50 == 49 ? "\n" : " ";
    const std::size_t begin = trace.texts[0].size();
    trace.texts[0] += word;
    trace.queries.push_back(make_token(word, piece ? TokenKind::kContinuation : TokenKind::kWord, static_cast<std::int32_t>(i),
                                       begin, trace.texts[0].size()));
    if (i == 0) trace.queries.back().kind = TokenKind::kSpecial;
  }
  trace.keys = trace.queries;
  for (std::size_t m = 0; m < n_maps; ++m) {
    AttentionMap map{Site::kSelf, m / 12, m % 12, n, n, WeightArray(n * n)};
    for (std::size_t row = 0; row < n; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < n; ++column) {
        const double peak = column == 0 ? 3.0 * static_cast<double>(n) : (column * 7 + m) % n == row ? static_cast<double>(n) : 0;
        map.pattern[row * n + column] = static_cast<float>(static_cast<double>(random() % 1000) / 1000 + peak);
        sum += map.pattern[row * n + column];
      }
      for (std::size_t column = 0; column < n; ++column) map.pattern[row * n + column] /= static_cast<float>(sum);
    }
    trace.maps.push_back(std::move(map));
  }
  return trace;
}

Scene scene_of(const Trace& trace, const WordedOptions& options, const Style& style = {}) {
  return layout_figure(make_figure(trace, options_for(trace, options)), style, measure);
}

std::string link(std::size_t from, std::size_t to) { return fmt::format("@{}:@{}", from, to); }

std::size_t count_text(const Scene& scene, Rgb colour) {
  return static_cast<std::size_t>(
      std::count_if(scene.texts.begin(), scene.texts.end(), [&](const SceneText& text) { return text.colour == colour; }));
}

TEST(Views, AllSizesAreSound) {
  for (const std::size_t n : {1, 2, 3, 13, 33, 60, 64, 65, 128, 512}) {
    const Trace trace = trace_of(n);
    for (const FigureView view : {FigureView::kMap, FigureView::kGrid, FigureView::kLines, FigureView::kRow, FigureView::kText}) {
      for (const bool dark : {false, true}) {
        for (const std::optional<double> width : {std::optional<double>{}, {520.0}, {1000.0}}) {
          const WordedOptions options{.view = view, .highlights = {link(n - 1, 0), link(n - 1, n / 2)}, .hide_sink = dark};
          const Style style{.dark = dark, .width = width};
          const std::string what =
              fmt::format("view {}, {} tokens, dark {}, width {}", static_cast<int>(view), n, dark, width.value_or(0));
          const Scene scene = scene_of(trace, options, style);
          expect_sound(scene, what);
          EXPECT_EQ(scene.width, width.value_or(scene.width)) << what;
        }
      }
    }
  }
}

// Every second weight below 0.
Trace changes_of(std::size_t n, std::size_t n_maps = 1) {
  Trace trace = trace_of(n, n_maps);
  trace.value = {.name = "change", .unit = "nats", .is_signed = true};
  for (AttentionMap& map : trace.maps) {
    for (std::size_t i = 0; i < map.pattern.size(); i += 2) map.pattern[i] *= -1;
  }
  return trace;
}

TEST(SignedViews, AreSoundAndNameTheirValues) {
  for (const std::size_t n : {1, 2, 13, 64, 65, 200}) {
    for (const FigureView view : {FigureView::kMap, FigureView::kGrid, FigureView::kLines, FigureView::kRow, FigureView::kText}) {
      for (const Scale scale : {Scale::kLinear, Scale::kRow, Scale::kLog, Scale::kRobust}) {
        for (const std::optional<double> width : {std::optional<double>{}, {420.0}}) {
          const Style style{.scale = scale, .dark = n == 13, .width = width};
          const WordedOptions options{.view = view, .highlights = {link(n - 1, 0)}};
          const Scene scene = scene_of(changes_of(n), options, style);
          const std::string what = fmt::format("view {}, {} tokens, scale {}", static_cast<int>(view), n, static_cast<int>(scale));
          expect_sound(scene, what);
          EXPECT_TRUE(says(scene, "change") || scale == Scale::kRow) << what;
          EXPECT_FALSE(says(scene, "weight")) << what;
        }
      }
    }
  }
}

TEST(SignedViews, ValuesFitTheirCells) {
  Trace trace = changes_of(9);
  for (float& value : trace.maps[0].pattern) value *= 40;  // "−37.2"
  trace.value.decimals = 1;
  const Scene scene = scene_of(trace, {}, {.values = true});
  expect_sound(scene, "signed values", true);
  for (const SceneText& text : scene.texts) {
    if (text.anchor == Anchor::kMiddle) {
      EXPECT_LE(text.width, scene.cells.front().cell_width - 1) << text.text;
    }
  }
}

TEST(SignedViews, BarsRunToBothSidesOfAZeroLineAndLinksHaveTheColourOfTheirSign) {
  const ValueColours colours("blues", false, true);
  const Scene bars = scene_of(changes_of(13), {.view = FigureView::kRow, .row = "@7"});
  double zero = 0;
  std::size_t n_left = 0;
  std::size_t n_right = 0;
  for (const SceneRect& rect : bars.rects) {
    if (rect.colour == colours.stroke(1)) zero = rect.x, ++n_right;
  }
  for (const SceneRect& rect : bars.rects) {
    if (rect.colour != colours.stroke(-1)) continue;
    EXPECT_NEAR(rect.x + rect.width, zero, 1e-6);
    ++n_left;
  }
  EXPECT_TRUE(n_left > 0 && n_right > 0) << n_left << " " << n_right;

  const Scene lines = scene_of(changes_of(13), {.view = FigureView::kLines, .row = "@7"});
  for (const SceneCurve& curve : lines.curves) {
    EXPECT_TRUE(curve.colour == colours.stroke(1) || curve.colour == colours.stroke(-1));
  }
}

TEST(Views, SeveralMapsAreSound) {
  for (const std::size_t n : {2, 13, 40}) {
    for (const FigureView view : {FigureView::kLines, FigureView::kRow, FigureView::kText}) {
      const Scene scene = scene_of(trace_of(n, 3), {.view = view}, {.values = view == FigureView::kText});
      expect_sound(scene, fmt::format("view {} of {} tokens", static_cast<int>(view), n));
      for (const char* title : {"Layer 0, head 0", "Layer 0, head 2"}) EXPECT_TRUE(says(scene, title)) << title;
    }
  }
}

TEST(Views, RefuseMoreMapsThanFit) {
  for (const auto& [view, most] : {std::pair{FigureView::kLines, 6}, {FigureView::kRow, 6}, {FigureView::kText, 24}}) {
    const auto n_most = static_cast<std::size_t>(most);
    EXPECT_NO_THROW(scene_of(trace_of(4, n_most), {.view = view}));
    try {
      scene_of(trace_of(4, n_most + 1), {.view = view});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("layer"), HasSubstr("reduction")));
    }
  }
}

TEST(Lines, StrongLinksLieOnWeakOnesAndTheWeakestAreLeftOutAndSaid) {
  const Scene scene = scene_of(trace_of(60), {.view = FigureView::kLines});
  ASSERT_GT(scene.curves.size(), 60U);
  for (std::size_t i = 1; i < scene.curves.size() && scene.curves[i].x2 > scene.curves[i].x1 + 60; ++i) {
    EXPECT_GE(scene.curves[i].width, scene.curves[i - 1].width - 1e-9);
    EXPECT_TRUE(scene.curves[i].width >= 0.5 && scene.curves[i].width <= 4);
  }
  EXPECT_TRUE(says(scene, "are not drawn"));
  const Scene long_text = scene_of(trace_of(512), {.view = FigureView::kLines});
  EXPECT_LE(long_text.curves.size(), 1520U);
  EXPECT_TRUE(says(long_text, "every 8th label"));
}

TEST(Lines, TheChosenQueryIsWarmAndOthersAreFaint) {
  const Trace trace = trace_of(13);
  const Scene scene = scene_of(trace, {.view = FigureView::kLines, .row = "@7"});
  const auto is_warm = [](const SceneCurve& curve) { return curve.colour == kLightTheme.warm; };
  const auto first_warm = std::find_if(scene.curves.begin(), scene.curves.end(), is_warm);
  ASSERT_NE(first_warm, scene.curves.end());
  double faintest = 1;
  for (auto curve = first_warm; curve != scene.curves.end() && is_warm(*curve); ++curve) {
    EXPECT_EQ(curve->y1, first_warm->y1) << "all from one word";
    faintest = std::min(faintest, curve->opacity);
  }
  for (auto curve = scene.curves.begin(); curve != first_warm; ++curve) {
    EXPECT_FALSE(is_warm(*curve));
    EXPECT_LT(curve->opacity, faintest);
  }
  EXPECT_EQ(count_text(scene, kLightTheme.warm), 1U) << "its word";
  EXPECT_TRUE(says(scene, "looks"));
}

TEST(Lines, RectangularMapsAreSound) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{3, 40}, {40, 3}, {1, 9}}) {
    Trace trace = trace_of(40);
    trace.queries.resize(rows);
    trace.keys.resize(columns);
    trace.maps = {make_map(0, 0, std::vector(rows, std::vector<float>(columns, 1.0F / static_cast<float>(columns))))};
    const Scene scene = scene_of(trace, {.view = FigureView::kLines});
    expect_sound(scene, fmt::format("{} x {}", rows, columns));
    EXPECT_GE(scene.curves.size(), rows * columns);
  }
}

TEST(Row, BarsAreAsLongAsTheirWeights) {
  Trace trace = trace_of(4);
  trace.maps = {make_map(0, 0, {{0.25F, 0.25F, 0.25F, 0.25F}, {0.5F, 0.25F, 0.125F, 0.125F}, {1, 0, 0, 0}, {0, 0, 0, 1}})};
  const Scene scene = scene_of(trace, {.view = FigureView::kRow, .row = "@1"});
  std::vector<double> lengths;
  for (const SceneRect& rect : scene.rects) {
    if (rect.colour == find_colour_map("blues", false).at(0.72)) lengths.push_back(rect.width);
  }
  EXPECT_THAT(lengths, testing::ElementsAre(260, 130, 65, 65));
  for (const char* number : {"0.500", "0.250", "0.125"}) EXPECT_TRUE(says(scene, number)) << number;
}

TEST(Row, OfALongTextTheStrongestKeysHaveBars) {
  const Scene scene = scene_of(trace_of(512), {.view = FigureView::kRow, .row = "@500"});
  EXPECT_TRUE(says(scene, "keys of at most")) << "what is left out is said";
  const auto n_bars =
      std::count_if(scene.lines.begin(), scene.lines.end(), [](const SceneLine& line) { return line.width == 0.5; });
  EXPECT_TRUE(n_bars > 10 && n_bars <= 50) << "a hairline where keys are left out: " << n_bars;
}

TEST(Row, PiecesOfTheQueryAreAveraged) {
  Trace trace = small_trace();
  const Figure figure = make_figure(trace, options_for(trace, {.view = FigureView::kRow, .row = "unhappy"}));
  EXPECT_THAT(figure.panels[0].values, testing::ElementsAre(0.125F, 0.125F, 0.25F, 0.4375F, 0.0625F));
  EXPECT_THAT(figure.subtitle, HasSubstr("mean of the query’s 2 tokens"));
  EXPECT_THAT(figure.query_columns, testing::ElementsAre(1, 2));
  EXPECT_THAT(figure.title, HasSubstr("where “unhappy” looks"));
}

TEST(Row, WithoutAWordItIsTheQueryOfTheStrongestLink) {
  Trace trace = small_trace();  // happy -> cat 0.75 in row 2
  EXPECT_EQ(make_figure(trace, options_for(trace, {.view = FigureView::kText})).row_labels[0].text, "##happy");
  EXPECT_EQ(make_figure(trace, options_for(trace, {.view = FigureView::kText, .highlights = {"cat:@1"}})).row_labels[0].text,
            "cat");
  EXPECT_THROW(make_figure(trace, options_for(trace, {.view = FigureView::kText, .row = "cat", .highlights = {"@2:cat"}})), Error);
}

// Every shade of every map under a word.
TEST(Text, CanBeReadOnEveryShade) {
  Trace trace = trace_of(257);
  std::vector<float> row(257, 0);
  for (std::size_t i = 0; i < 256; ++i) row[i] = static_cast<float>(i) / 255;
  trace.maps = {make_map(0, 0, std::vector(257, row))};
  for (const std::string& cmap : colour_map_names()) {
    for (const bool dark : {false, true}) {
      const Scene scene = scene_of(trace, {.view = FigureView::kText, .row = "@0"}, {.cmap = cmap, .dark = dark});
      std::size_t n_checked = 0;
      for (const SceneText& text : scene.texts) {
        for (const SceneRect& rect : scene.rects) {
          if (text.x < rect.x - 0.5 || text.x > rect.x + rect.width || text.y < rect.y || text.y > rect.y + rect.height) continue;
          EXPECT_GE(contrast_ratio(text.colour, rect.colour), 4.5) << cmap << " " << dark << " " << text.text;
          ++n_checked;
          break;
        }
      }
      EXPECT_GE(n_checked, 257U);
    }
  }
}

TEST(Text, PiecesStayTogetherAndNewlinesBreakLines) {
  const Trace trace = trace_of(128);
  const Figure figure = make_figure(trace, options_for(trace, {.view = FigureView::kText}));
  for (const double width : {300.0, 420.0, 640.0}) {
    const Scene scene = layout_figure(figure, {.width = width}, measure);
    std::vector<const SceneText*> words(128, nullptr);
    for (const SceneText& text : scene.texts) {
      for (std::size_t i = 0; i < 128; ++i) {
        if (text.text == figure.column_labels[i].in_text) words[i] = &text;
      }
    }
    for (std::size_t i = 1; i < 128; ++i) {
      ASSERT_TRUE(words[i] != nullptr) << i;
      const double lower = words[i]->y - words[i - 1]->y;
      const std::string& gap = figure.column_labels[i].gap;
      EXPECT_TRUE(!gap.empty() || lower == 0) << i << " is a piece";
      EXPECT_TRUE(gap != "\n" || lower > 0) << i << " begins a line";
    }
  }
}

TEST(Text, RightToLeftSentencesBeginAtTheRight) {
  Trace trace;
  trace.texts = {"שלום my world עולם"};
  std::size_t begin = 0;
  for (const char* word : {"שלום", "my", "world", "עולם"}) {
    const std::size_t at = trace.texts[0].find(word, begin);
    trace.queries.push_back(
        make_token(word, TokenKind::kWord, static_cast<std::int32_t>(trace.queries.size()), at, at + std::strlen(word)));
    begin = at;
  }
  trace.keys = trace.queries;
  trace.maps = {make_map(0, 0, std::vector(4, std::vector<float>(4, 0.25F)))};
  const Scene scene = scene_of(trace, {.view = FigureView::kText});
  const auto x_of = [&](const char* word) {
    return std::find_if(scene.texts.begin(), scene.texts.end(), [&](const SceneText& text) { return text.text == word; })->x;
  };
  EXPECT_GT(x_of("שלום"), x_of("world"));
  EXPECT_GT(x_of("world"), x_of("my"));
  EXPECT_GT(x_of("my"), x_of("עולם"));
}

TEST(Marks, EveryFrameOfAMapHasItsTagWhereThereIsRoom) {
  for (const std::size_t n : {1, 2, 3, 13, 33, 60, 65, 128, 512, 1500}) {
    const Trace trace = trace_of(n);
    for (const std::size_t row : {std::size_t{0}, n / 2, n - 1}) {
      for (const std::size_t column : {std::size_t{0}, n / 2, n - 1}) {
        const Scene scene = scene_of(trace, {.highlights = {link(row, column)}});
        const std::string what = fmt::format("{} tokens, cell {}, {}", n, row, column);
        expect_sound(scene, what);
        ASSERT_EQ(scene.frames.size(), 2U) << "frame and halo";
        EXPECT_EQ(scene.frames[1].colour, kLightTheme.warm);
        EXPECT_GE(scene.frames[1].width, 9);
        EXPECT_EQ(std::count_if(scene.cells.begin(), scene.cells.end(),
                                [](const SceneCells& cells) { return cells.colours == std::vector<Rgb>{kLightTheme.warm}; }),
                  1)
            << what;
        EXPECT_TRUE(says(scene, "marked: ")) << what;
      }
    }
  }
}

TEST(Marks, ManyOnOneMapStayApart) {
  const std::size_t n = 20;
  WordedOptions options;
  for (std::size_t i = 0; i < n; ++i) options.highlights.push_back(link(i, (i * 3) % n));
  const Scene scene = scene_of(trace_of(n), options);
  expect_sound(scene, "twenty marks");
  EXPECT_EQ(scene.frames.size(), 2 * n);
}

TEST(Marks, StandUnderThumbnailsTheStrongestThreeWarm) {
  const Scene scene = scene_of(trace_of(13, 24), {.highlights = {link(7, 3)}});
  expect_sound(scene, "weights under thumbnails");
  EXPECT_EQ(count_text(scene, kLightTheme.warm), 3U);
  EXPECT_TRUE(says(scene, "strongest in L"));
  EXPECT_THROW(scene_of(trace_of(5, 2), {.highlights = {link(1, 1), link(1, 2), link(1, 3), link(1, 4)}}), Error);
}

TEST(Marks, HugeGridsAreSound) {
  const Trace small = trace_of(3);
  Trace trace = small;
  for (std::size_t i = 1; i < std::size_t{48} * 64; ++i) {
    trace.maps.push_back(small.maps[0]);
    trace.maps.back().layer = i / 64;
    trace.maps.back().head = i % 64;
  }
  const Scene scene = scene_of(trace, {.view = FigureView::kGrid, .highlights = {link(1, 2)}});
  EXPECT_LE(scene.width, 4600);
  EXPECT_TRUE(says(scene, "L47") && says(scene, "H63"));
}

TEST(BadCells, AreHatchedAndCountedInEveryView) {
  for (const std::size_t n : {3, 13, 200}) {
    Trace trace = trace_of(n);
    const std::size_t row = n - 1;
    trace.maps[0].pattern[row * n + 1] = kBad;
    trace.maps[0].pattern[row * n + 2] = std::numeric_limits<float>::infinity();
    for (const FigureView view : {FigureView::kMap, FigureView::kGrid, FigureView::kRow, FigureView::kText}) {
      const Scene scene = scene_of(trace, {.view = view, .row = fmt::format("@{}", row)});
      EXPECT_FALSE(scene.hatches.empty()) << static_cast<int>(view);
      EXPECT_TRUE(says(scene, "2 bad cells are hatched")) << static_cast<int>(view) << " " << n;
      expect_sound(scene, "bad cells");
    }
    const Scene lines = scene_of(trace, {.view = FigureView::kLines});
    EXPECT_TRUE(says(lines, "2 bad cells")) << "a link without a weight has no curve";
  }
  EXPECT_TRUE(scene_of(trace_of(13), {}).hatches.empty());
}

TEST(Sink, LeavesTheScaleAndIsSaid) {
  const Trace trace = trace_of(13);
  const Figure plain = make_figure(trace, {});
  const Figure figure = make_figure(trace, {.hide_sink = true});
  EXPECT_FALSE(plain.sink);
  ASSERT_TRUE(figure.sink);
  EXPECT_EQ(*figure.sink, 0U);
  const Scene scene = layout_figure(figure, {}, measure);
  EXPECT_TRUE(says(scene, "is left out of the scale: "));
  const SceneCells& map = scene.cells.front();
  for (std::size_t row = 0; row < 13; ++row) EXPECT_EQ(map.colours[row * 13], kLightTheme.blank);
  const Rgb deepest = find_colour_map("blues", false).colours.back();
  EXPECT_EQ(std::count(map.colours.begin(), map.colours.end(), deepest), 1) << "the largest of the others ends the scale";
}

TEST(Scale, EachMapByItsOwnMaximum) {
  Trace trace = trace_of(5, 2);
  for (float& weight : trace.maps[1].pattern) weight /= 10;
  const Rgb deepest = find_colour_map("blues", false).colours.back();
  const auto n_deepest = [&](const SceneCells& cells) { return std::count(cells.colours.begin(), cells.colours.end(), deepest); };
  const Scene own = scene_of(trace, {}, {.scale = Scale::kOwn});
  EXPECT_EQ(n_deepest(own.cells[0]), 1);
  EXPECT_EQ(n_deepest(own.cells[1]), 1);
  EXPECT_TRUE(says(own, "map’s maximum"));
  EXPECT_EQ(n_deepest(scene_of(trace, {}).cells[1]), 0);
  EXPECT_THROW(scene_of(trace, {}, {.scale = Scale::kOwn, .vmax = 0.5F}), Error);
}

}  // namespace
}  // namespace attnviz
