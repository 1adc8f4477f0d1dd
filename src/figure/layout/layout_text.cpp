// The sentence, shaded by the weight that one query gives each word. Several maps are below each other, each with a caption.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "figure/layout/colour_bar.h"
#include "figure/layout/layout_parts.h"
#include "figure/layout/sentence.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostPanels = 24;
constexpr double kWidth = 640;  // of a line, about 75 letters
constexpr double kNarrowest = 120;
constexpr double kCaptionRoom = 20;
constexpr double kPanelGap = 14;
constexpr double kBarGap = 10;

}  // namespace

Body layout_text(const LayoutContext& context) {
  const std::vector<Panel>& panels = context.figure.panels;
  if (panels.size() > kMostPanels) refuse_panels(context, "are too many sentences", kMostPanels);
  if (context.max_width && *context.max_width < kNarrowest) refuse_width(context, kNarrowest);
  Body body;
  Scene& scene = body.scene;
  double y = 0;
  for (const Panel& panel : panels) {
    if (panels.size() > 1) {
      SceneText caption = context.text(panel.title, kAxisSize, context.theme.ink, FontWeight::kSemiBold);
      caption.y = y + kAscent * kAxisSize;
      scene.width = std::max(scene.width, caption.width);
      scene.texts.push_back(std::move(caption));
      y = context.up_to_pixel(y + kCaptionRoom);
    }
    Scene sentence = draw_sentence(context, panel, {.width = context.max_width.value_or(kWidth), .numbers = context.style.values});
    const double height = sentence.height;
    scene.width = std::max(scene.width, sentence.width);
    append_moved(&scene, std::move(sentence), 0, y);
    y = context.up_to_pixel(y + height + (panels.size() > 1 ? kPanelGap : 0));
  }
  y = context.up_to_pixel(y + kBarGap);
  Scene bar = draw_flat_colour_bar(context);
  scene.width = std::max(scene.width, bar.width);
  scene.height = y + bar.height;
  append_moved(&scene, std::move(bar), 0, y);
  body.remarks = common_remarks(context);
  return body;
}

}  // namespace attnviz
