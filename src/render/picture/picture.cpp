// See picture.h.
#include "render/picture/picture.h"

#include "figure/layout/layout.h"

namespace attnviz {

void prepare_pictures(const Style& style) { prepare_text_engine(style.font); }

Scene compose_picture(const Figure& figure, const Style& style, RenderNotes* notes) {
  TextEngine& text = shared_text_engine(style.font);
  text.take_missing();  // of what was measured for others
  const TextMeasure measure = [&](std::string_view string, double size, FontWeight weight) {
    return text.width(string, size, weight);
  };
  Scene scene = layout_figure(figure, style, measure);
  if (notes != nullptr) notes->missing = text.take_missing();
  return scene;
}

std::string picture_title(const Figure& figure, const Style& style) {
  return style.title && !style.title->empty() ? *style.title : figure.title;
}

}  // namespace attnviz
