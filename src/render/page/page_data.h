// The data of a page other than its weights, as one JSON object that may appear in a <script> element: every string that comes from
// a model or a user is in it and nowhere else. Tested in tests/unit/render/page/page_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/links.h"

namespace attnviz {

// The summary of a map that is available before it is unpacked.
struct MapSummary {
  float maximum = 0;
  std::optional<Link> best{};  // strongest_telling_link
};

struct PageContents {
  const Trace& trace;
  const PictureOptions& picture;
  const std::vector<MapSummary>& summaries;
  std::size_t first = 0;                                     // the map shown first
  std::optional<std::pair<std::size_t, std::size_t>> start;  // query and key chosen first; the map's own best where not set
  bool exact = false;
  bool scores = false;             // the maps' log_sums are in the page
  std::size_t thumbnail_side = 0;  // 0: thumbnails are made of the maps
};

// Characters that could end the element or a line of a script are written as \u003c and the like; NUL and other controls are
// escaped by JSON itself, bytes that are not UTF-8 are replaced.
std::string page_json(const PageContents& contents);

}  // namespace attnviz
