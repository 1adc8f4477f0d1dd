// See reduce.h.
#include "trace/reduce.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/setting_error.h"
#include "trace/derived.h"

namespace attnviz {
namespace {

using Group = std::vector<const AttentionMap*>;

// The maps of each result, by layer, then head, as the trace has them.
std::map<std::pair<std::size_t, std::size_t>, Group> groups_of(const Trace& trace, const Reduction& reduction) {
  std::map<std::pair<std::size_t, std::size_t>, Group> groups;
  for (const AttentionMap& map : trace.maps) {
    const std::size_t layer = reduction.over_layers ? reduction.layers.front() : map.layer;
    const std::size_t head = reduction.over_heads ? reduction.heads.front() : map.head;
    groups[{layer, head}].push_back(&map);
  }
  return groups;
}

float mean_at(const Group& group, std::size_t cell) {
  double sum = 0;
  for (const AttentionMap* map : group) sum += map->pattern[cell];
  return static_cast<float>(sum / static_cast<double>(group.size()));
}

float max_at(const Group& group, std::size_t cell) {
  float best = group.front()->pattern[cell];
  for (const AttentionMap* map : group) {
    const float weight = map->pattern[cell];
    if (std::isnan(weight)) return weight;
    best = std::max(best, weight);
  }
  return best;
}

AttentionMap reduced_map(const Group& group, ReduceBy by) {
  const AttentionMap& first = *group.front();
  AttentionMap reduced{first.site, 0, 0, first.n_query, first.n_key, {}};
  reduced.pattern.resize(first.pattern.size());
  for (std::size_t cell = 0; cell < reduced.pattern.size(); ++cell) {
    reduced.pattern[cell] = by == ReduceBy::kMean ? mean_at(group, cell) : max_at(group, cell);
  }
  return reduced;
}

Reduction plan(const Trace& trace, ReduceBy by, ReduceOver over) {
  std::set<std::size_t> layers;
  std::set<std::size_t> heads;
  for (const AttentionMap& map : trace.maps) layers.insert(map.layer), heads.insert(map.head);
  if (trace.maps.empty() || trace.maps.size() != layers.size() * heads.size()) {
    throw SettingError(
        ErrorKind::kInput,
        {Setting::kReduce,
         fmt::format(": not every layer has the same heads; expected {} layers x {} heads = {} maps, found {}; choose some with ",
                     layers.size(), heads.size(), layers.size() * heads.size(), trace.maps.size()),
         Setting::kLayer, " and ", Setting::kHead});
  }
  const bool all = over == ReduceOver::kAll;
  Reduction reduction{by, over == ReduceOver::kLayers, over == ReduceOver::kHeads, {}, {}};
  if (all) reduction.over_layers = layers.size() > 1;
  if (all) reduction.over_heads = heads.size() > 1 || layers.size() == 1;
  reduction.layers.assign(layers.begin(), layers.end());
  reduction.heads.assign(heads.begin(), heads.end());
  return reduction;
}

}  // namespace

Trace reduce_maps(const Trace& trace, ReduceBy by, ReduceOver over) {
  if (trace.reduced) {
    throw SettingError(ErrorKind::kInput,
                       {Setting::kReduce,
                        fmt::format(": the maps are already a {} of several; expected maps of single layers and heads; leave ",
                                    reduce_by_name(trace.reduced->by)),
                        Setting::kReduce, " out"});
  }
  Trace reduced = without_maps(trace);
  reduced.queries = trace.queries;
  reduced.keys = trace.keys;
  reduced.reduced = plan(trace, by, over);
  for (const auto& [name, group] : groups_of(trace, *reduced.reduced)) {
    reduced.maps.push_back(reduced_map(group, by));
    std::tie(reduced.maps.back().layer, reduced.maps.back().head) = name;
  }
  if (by == ReduceBy::kMax) reduced.notes.emplace_back("rows of a maximum need not sum to 1");
  return reduced;
}

std::string layer_text(const Trace& trace, const AttentionMap& map) {
  const bool several = trace.reduced && trace.reduced->over_layers;
  return several ? std::string(reduce_by_name(trace.reduced->by)) : std::to_string(map.layer);
}

std::string head_text(const Trace& trace, const AttentionMap& map) {
  const bool several = trace.reduced && trace.reduced->over_heads;
  return several ? std::string(reduce_by_name(trace.reduced->by)) : std::to_string(map.head);
}

}  // namespace attnviz
