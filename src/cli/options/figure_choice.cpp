// See figure_choice.h.
#include "cli/options/figure_choice.h"

#include <attnviz/error.h>
#include <fmt/format.h>

#include <utility>

#include "cli/options/view_options.h"
#include "cli/output.h"
#include "figure/build.h"
#include "trace/label.h"

namespace attnviz {

void focus_on_row(MapOptions* map, FigureOptions* figure) {
  if (!needs_one_query(*figure)) return;
  if (map->focus) {
    throw Error(ErrorKind::kUsage, "--row: says which query is shown, and so does --focus; leave one out");
  }
  map->focus = std::exchange(figure->row, std::nullopt);
  map->focus_option = "--row";
}

void note_sink(const Trace& trace, const PictureOptions& picture) {
  const auto largest = largest_column(trace);
  if (picture.figure.hide_sink && !(largest && largest->is_sink())) {
    print_note("note: --hide-sink: no key takes more than half of most rows, or of all weight; nothing is left out of the scale");
  }
  if (picture.figure.hide_sink || picture.style.scale != Scale::kLinear || picture.style.vmax) return;
  if (!largest || largest->share <= 0.5 || largest->n_rows < 3) return;
  const Token& key = trace.keys[largest->column];
  const std::size_t index = key.position.value_or(largest->column);
  print_note(fmt::format("note: {} {} holds {:.0f}% of all weight; try --hide-sink or --scale log",
                         index == 0 ? "the first token" : fmt::format("token @{}", index), token_label(key), 100 * largest->share));
}

}  // namespace attnviz
