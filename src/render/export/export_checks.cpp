// See export_checks.h.
#include "render/export/export_checks.h"

#include <attnviz/error.h>

#include <cmath>

#include <fmt/format.h>

namespace attnviz {

void check_weight(const AttentionMap& map, float weight) {
  if (std::isfinite(weight)) return;
  throw Error(ErrorKind::kBug,
              fmt::format("layer {}, head {}: an attention weight is not a number; expected 0 .. 1, found {}; please "
                          "report the text and the model",
                          map.layer, map.head, weight));
}

void check_shape(const Trace& trace, const AttentionMap& map) {
  const bool fits =
      map.n_query == trace.queries.size() && map.n_key == trace.keys.size() && map.pattern.size() == map.n_query * map.n_key;
  if (fits) return;
  throw Error(
      ErrorKind::kBug,
      fmt::format("layer {}, head {}: the map does not fit its tokens; expected [{}, {}], found [{}, {}] with {} "
                  "weights; please report the command",
                  map.layer, map.head, trace.queries.size(), trace.keys.size(), map.n_query, map.n_key, map.pattern.size()));
}

}  // namespace attnviz
