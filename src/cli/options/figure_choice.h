// The query, the marks and the sink of a picture, as all commands that draw maps handle them. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <optional>

#include "cli/options/map_options.h"
#include "trace/marks.h"

namespace attnviz {

// A picture of one query needs its rows alone: then --row chooses them as --focus does. Throws Error(kUsage) where --focus is
// there as well.
void focus_on_row(const FigureOptions& figure, MapOptions* map, MarkWords* words);

// Looks the words up among the tokens of a whole text, where only a part of its map is kept. Nothing where all of it is.
std::optional<Marks> marks_of_whole(const MarkWords& words, const MapAxes& whole, const MapChoice& choice);

// The marks of a trace that is ready to be drawn. Throws SettingError(kInput) for a word that is not in it, and for a link that the
// view cannot show.
void set_marks(const MarkWords& words, const std::optional<Marks>& of_whole, const Trace& trace, FigureOptions* figure);

// Prints on stderr that one key takes most of a linear scale, which then shows little else, or that --hide-sink found none.
void note_sink(const Trace& trace, const PictureOptions& picture);

}  // namespace attnviz
