// See figure_choice.h.
#include "cli/options/figure_choice.h"

#include <attnviz/error.h>

#include <utility>

#include <fmt/format.h>

#include "base/setting_error.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "figure/build.h"
#include "trace/label.h"

namespace attnviz {

void focus_on_row(const FigureOptions& figure, MapOptions* map, MarkWords* words) {
  if (!needs_one_query(figure, *words)) return;
  if (map->focus) {
    throw Error(ErrorKind::kUsage, "--row: conflicts with --focus, which also chooses the query; leave one out");
  }
  map->focus = std::exchange(words->row, std::nullopt);
  map->focus_setting = Setting::kRow;
}

std::optional<Marks> marks_of_whole(const MarkWords& words, const MapAxes& whole, const MapChoice& choice) {
  if (!choice.rows && !choice.columns && choice.pool == 0) return std::nullopt;
  return find_marks(words, whole, {choice.rows, choice.columns});
}

void set_marks(const MarkWords& words, const std::optional<Marks>& of_whole, const Trace& trace, FigureOptions* figure) {
  if (words.empty()) return;
  figure->marks = of_whole ? marks_in_part(*of_whole, trace) : find_marks(words, axes_of(trace));
  check_figure(trace, *figure);
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
