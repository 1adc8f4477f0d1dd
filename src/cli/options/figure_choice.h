// What the commands that draw maps do alike about the query and the sink of a picture. Tested in tests/cli/test_views.py.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include "cli/options/map_options.h"

namespace attnviz {

// A picture of one query needs its rows alone: then --row chooses them as --focus does. Throws Error(kUsage) where --focus is
// there.
void focus_on_row(MapOptions* map, FigureOptions* figure);

// Says on stderr that one key takes most of a linear scale, which then shows little else, or that --hide-sink found none.
void note_sink(const Trace& trace, const PictureOptions& picture);

}  // namespace attnviz
