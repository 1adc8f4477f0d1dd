// Text for drawings: measured and drawn by Pango, so every script is shaped right and missing glyphs come from other fonts.
//
// One layout and two font descriptions of one large size serve all texts, without hinting; sizes are scalings of it. So measures
// are exactly proportional, letters keep their spacing at every size and angle, and fontconfig is asked as rarely as can be.
// text_runs.h describes how glyphs are drawn. Text on an image is laid out and filled once, also across the pictures of a batch,
// because most of their labels repeat. Tested in tests/golden and tests/unit/render.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "figure/scene.h"

typedef struct _cairo cairo_t;

namespace attnviz {

// A character that no installed font has: a box with its number is drawn for it.
struct MissingGlyph {
  char32_t code_point = 0;
  std::string text{};  // one that has it
};

class TextEngine {
 public:
  explicit TextEngine(const std::string& family = {});  // empty: the program's default
  ~TextEngine();
  TextEngine(const TextEngine&) = delete;
  TextEngine& operator=(const TextEngine&) = delete;

  double width(std::string_view text, double size, FontWeight weight);
  void draw(cairo_t* cairo, const SceneText& text);

  // Of all texts measured since the last call, by code point.
  std::vector<MissingGlyph> take_missing();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// This thread's engine for a family: loading fonts takes longer than drawing a figure, so it is done once.
TextEngine& shared_text_engine(const std::string& family = {});

// Makes this thread's engine in another thread meanwhile, with its usual fonts loaded.
void prepare_text_engine(const std::string& family = {});

// The families that an engine takes letters from; the first that has a letter is used.
std::vector<std::string> font_families(const std::string& family);

}  // namespace attnviz
