// See sentence.h.
#include "figure/layout/sentence.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/utf8.h"
#include "figure/layout/map_marks.h"
#include "figure/layout/text_fit.h"

namespace attnviz {
namespace {

constexpr double kPadding = 2;       // at the left and right of a word that begins, or ends, a run of pieces
constexpr double kTouching = 0.5;    // between pieces of a word
constexpr double kShadeAbove = 1.0;  // of the font size, over the baseline
constexpr double kShadeBelow = 0.34;
constexpr double kLineGap = 7;  // between two lines of shades
constexpr double kNumberSize = 9;
constexpr double kUnderline = 2;
constexpr double kFrame = 1.5;

// On any shade one of these has a contrast of at least 4.58, which the theme's own inks do not.
constexpr Rgb kWhite = rgb(0xffffff);
constexpr Rgb kBlack = rgb(0x000000);
constexpr double kEnoughContrast = 4.5;

struct Word {
  std::size_t column = 0;
  std::string text{};
  std::string number{};
  double width = 0;          // of the shade
  double before = kPadding;  // of the shade's edges to the letters
  double behind = kPadding;
  double x = 0;  // from the line's first edge, in the order of reading
  bool right_to_left = false;
  bool joined = false;  // to the word before it: no line breaks between them
};

struct Line {
  std::vector<Word> words{};
  double width = 0;
  bool begins_paragraph = false;
};

// Hebrew, Arabic and their neighbours.
bool is_right_to_left(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const char32_t point = c.code_point;
    if ((point >= 0x590 && point <= 0x8FF) || (point >= 0xFB1D && point <= 0xFDFF) || (point >= 0xFE70 && point <= 0xFEFC))
      return true;
    at += std::max<std::size_t>(c.length, 1);
  }
  return false;
}

// Scripts in which a line can break between any two characters.
bool breaks_anywhere(char32_t c) {
  return (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFFEF && c != 0xFFFD) ||
         c >= 0x20000;
}

char32_t last_character(std::string_view text) {
  return text.empty() ? U' ' : decode_utf8(text, utf8_begin(text, text.size() - 1)).code_point;
}

class Wrapper {
 public:
  Wrapper(const LayoutContext& context, const Panel& panel, const SentenceStyle& style)
      : context_(context), panel_(panel), style_(style), space_(context.measure(" ", style.size, FontWeight::kRegular)) {}

  std::vector<Line> wrap() {
    lines_.emplace_back().begins_paragraph = true;
    for (std::size_t column = 0; column < panel_.n_columns; ++column) add(column);
    return std::move(lines_);
  }

 private:
  void add(std::size_t column) {
    const AxisLabel& label = context_.figure.column_labels[column];
    Word word{.column = column};
    word.text = elide_middle(label.in_text, style_.width - 2 * kPadding, {style_.size}, context_.measure);
    word.right_to_left = is_right_to_left(word.text);
    // Pieces of a word are nearly as close as letters.
    const std::vector<AxisLabel>& labels = context_.figure.column_labels;
    if (column > 0 && label.gap.empty()) word.before = kTouching;
    if (column + 1 < labels.size() && labels[column + 1].gap.empty()) word.behind = kTouching;
    word.width = context_.measure(word.text, style_.size, FontWeight::kRegular) + word.before + word.behind;
    const float weight = panel_.values[column];
    if (style_.numbers && std::isfinite(weight)) {
      word.number = format_cell_value(weight, context_.figure.value.decimals);
      const double missing = context_.measure(word.number, kNumberSize, FontWeight::kRegular) + 3 - word.width;
      if (missing > 0) word.width += missing, word.before += missing / 2, word.behind += missing / 2;
    }
    const bool breaks = label.gap == "\n" && !lines_.back().words.empty();
    const double gap = gap_width(label.gap);
    if (column > 0 && label.gap.empty() && !word.text.empty()) {
      word.joined =
          !breaks_anywhere(decode_utf8(word.text, 0).code_point) && !breaks_anywhere(last_character(labels[column - 1].in_text));
    }
    std::vector<Word> moved;
    if (breaks || lines_.back().width + gap + word.width > style_.width) {
      if (word.joined) moved = take_joined();
      if (!lines_.back().words.empty()) lines_.emplace_back().begins_paragraph = breaks;
    }
    for (Word& before : moved) put(std::move(before), 1);
    put(std::move(word), moved.empty() ? gap : 1);
  }

  void put(Word word, double gap) {
    Line& line = lines_.back();
    word.x = line.words.empty() ? 0 : line.width + gap;
    line.width = word.x + word.width;
    line.words.push_back(std::move(word));
  }

  // The pieces that must stay with the next one, taken off the last line; none if the line has no others.
  std::vector<Word> take_joined() {
    std::vector<Word>& words = lines_.back().words;
    std::size_t begin = words.size();
    while (begin > 0 && words[begin - 1].joined) --begin;
    if (begin < 2) return {};
    std::vector<Word> taken(std::make_move_iterator(words.begin() + static_cast<std::ptrdiff_t>(begin - 1)),
                            std::make_move_iterator(words.end()));
    words.resize(begin - 1);
    lines_.back().width = words.back().x + words.back().width;
    return taken;
  }

  // Pieces that touch have a hairline between their shades, or two would look like one.
  double gap_width(const std::string& gap) const {
    if (lines_.back().words.empty()) return 0;
    if (gap.empty()) return 1;
    return gap == " " || gap == "\n" ? std::max(space_, 3.0) : 4 * space_;
  }

  const LayoutContext& context_;
  const Panel& panel_;
  const SentenceStyle& style_;
  double space_;
  std::vector<Line> lines_{};
};

// A line of a right-to-left text begins at its right end; words of other scripts in it keep their order.
void turn(Line* line, double width) {
  std::vector<Word>& words = line->words;
  for (Word& word : words) word.x = width - word.x - word.width;
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin;
    while (end < words.size() && !words[end].right_to_left) ++end;
    if (end > begin + 1) {
      const double left = words[end - 1].x;
      const double right = words[begin].x + words[begin].width;
      for (std::size_t i = begin; i < end; ++i) words[i].x = left + (right - words[i].x - words[i].width);
    }
    begin = std::max(end, begin + 1);
  }
}

// Each paragraph has the direction of most of its words.
void turn_paragraphs(std::vector<Line>* lines, double width) {
  for (std::size_t begin = 0; begin < lines->size();) {
    std::size_t end = begin + 1;
    while (end < lines->size() && !(*lines)[end].begins_paragraph) ++end;
    std::size_t n_words = 0;
    std::size_t n_turned = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (const Word& word : (*lines)[i].words) ++n_words, n_turned += word.right_to_left ? 1 : 0;
    }
    for (std::size_t i = begin; 2 * n_turned >= n_words && i < end; ++i) turn(&(*lines)[i], width);
    begin = end;
  }
}

class Painter {
 public:
  Painter(const LayoutContext& context, const Panel& panel, const SentenceStyle& style, Scene* scene)
      : context_(context), panel_(panel), style_(style), scene_(scene), maximum_(own_maxima(context, panel).of_row(0)) {}

  void draw(const Word& word, double baseline) {
    const double top = snap(baseline - kShadeAbove * style_.size);
    const double height = snap((kShadeAbove + kShadeBelow) * style_.size);
    const double x = snap(word.x);
    const double width = std::max(snap(word.x + word.width) - x, context_.pixel);
    const Rgb ground = shade(word, {x, top, width, height, {}});
    add_text(word, ground, baseline);
    mark(word, {x, top, width, height, {}});
  }

 private:
  double snap(double units) const { return std::round(units / context_.pixel) * context_.pixel; }

  // The colour under the word's letters.
  Rgb shade(const Word& word, SceneRect rect) {
    const float weight = panel_.values[word.column];
    rect.colour = context_.theme.blank;
    if (!std::isfinite(weight)) {
      scene_->hatches.push_back({rect.x, rect.y, rect.width, rect.height, context_.theme.blank, context_.theme.hatch});
      return context_.theme.blank;
    }
    if (word.column != context_.figure.sink) rect.colour = context_.colours.at(context_.scale.position(weight, maximum_));
    scene_->rects.push_back(rect);
    return rect.colour;
  }

  void add_text(const Word& word, Rgb ground, double baseline) {
    const AxisLabel& label = context_.figure.column_labels[word.column];
    const Rgb wanted = label_colour(context_.theme, label);
    const bool readable = contrast_ratio(wanted, ground) >= kEnoughContrast;
    SceneText text = context_.text(word.text, style_.size, readable ? wanted : more_readable(ground, kWhite, kBlack));
    text.x = word.x + (word.right_to_left ? word.behind : word.before);
    text.y = baseline;
    scene_->texts.push_back(std::move(text));
    if (word.number.empty()) return;
    SceneText number = context_.text(word.number, kNumberSize, context_.theme.grey);
    number.anchor = Anchor::kMiddle;
    number.x = word.x + word.width / 2;
    number.y = baseline + kShadeBelow * style_.size + 3 + kUnderline + kAscent * kNumberSize;
    scene_->texts.push_back(std::move(number));
  }

  void mark(const Word& word, const SceneRect& rect) {
    const std::vector<std::size_t>& query = context_.figure.query_columns;
    if (std::find(query.begin(), query.end(), word.column) != query.end()) {
      const double y = rect.y + rect.height + kUnderline / 2 + 1;
      scene_->lines.push_back({rect.x, y, rect.x + rect.width, y, kUnderline, context_.theme.ink});
    }
    for (const CellMark& mark : context_.figure.highlights) {
      if (word.column - mark.column >= mark.n_columns) continue;
      add_frame(context_, {rect.x, rect.y, rect.width, rect.height, kFrame, context_.theme.warm}, scene_);
    }
  }

  const LayoutContext& context_;
  const Panel& panel_;
  const SentenceStyle& style_;
  Scene* scene_;
  double maximum_;
};

}  // namespace

Scene draw_sentence(const LayoutContext& context, const Panel& panel, const SentenceStyle& style) {
  std::vector<Line> lines = Wrapper(context, panel, style).wrap();
  turn_paragraphs(&lines, style.width);
  Scene scene;
  Painter painter(context, panel, style, &scene);
  const double numbers = style.numbers ? kNumberSize + 4 : 0;
  const double pitch = (kShadeAbove + kShadeBelow) * style.size + kUnderline + kLineGap + numbers;
  double baseline = kShadeAbove * style.size + 1;
  for (const Line& line : lines) {
    for (const Word& word : line.words) painter.draw(word, baseline);
    scene.width = std::max(scene.width, line.width);
    baseline += pitch;
  }
  const bool turned = std::any_of(lines.begin(), lines.end(),
                                  [](const Line& line) { return !line.words.empty() && line.words.front().right_to_left; });
  if (turned) scene.width = style.width;
  scene.height = baseline - kShadeAbove * style.size;
  return scene;
}

}  // namespace attnviz
