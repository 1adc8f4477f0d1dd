// See plain_maps.h. The outer axes are layer and head; a batch of one is before them, or between them (a list of one tensor a
// layer).
#include "formats/maps/plain_maps.h"

#include <attnviz/error.h>

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "formats/maps/json_matrix.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostAxes = 5;
constexpr const char* kExpected = "expected [query][key], [head][query][key] or [layer][head][query][key]";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", where, what));
}

// The axes in front of query and key as numbers of layers and heads. Of five axes one must be a batch of one.
struct OuterAxes {
  std::size_t n_layer = 1;
  std::size_t n_head = 1;
};

OuterAxes outer_axes(const std::vector<std::size_t>& outer, const std::string& where) {
  switch (outer.size()) {
    case 0: return {};
    case 1: return {1, outer[0]};
    case 2: return {outer[0], outer[1]};
    default: break;
  }
  if (outer[1] == 1) return {outer[0], outer[2]};
  if (outer[0] == 1) return {outer[1], outer[2]};
  fail(where, fmt::format("has {} layers of a batch of {} texts; expected one text; take one of them, for example attention[:, 0]",
                          outer[0], outer[1]));
}

MapFile file_of(std::vector<AttentionMap> maps, const OuterAxes& axes, const std::string& where) {
  MapFile file;
  file.plain = true;
  file.trace.model = {where.substr(where.find_last_of('/') + 1), "unknown", axes.n_layer, axes.n_head};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i].layer = i / axes.n_head;
    maps[i].head = i % axes.n_head;
  }
  file.trace.maps = std::move(maps);
  return file;
}

// Lists of lists, whose lengths must be the same wherever they are as deep.
class NestedLists {
 public:
  NestedLists(JsonScanner* json, std::size_t n_axis) : json_(*json), outer_(n_axis - 2), indices_(n_axis - 2) {}

  MapFile read() {
    read_level(0);
    if (!json_.at_end()) json_.fail_unexpected("nothing after the lists");
    const OuterAxes axes = outer_axes(outer_, json_.where());
    MapFile file = file_of(std::move(maps_), axes, json_.where());
    file.decimals = json_.most_decimals();
    return file;
  }

 private:
  std::string place() const {
    constexpr const char* kNames[4][3] = {{}, {"head"}, {"layer", "head"}, {"layer", "batch item", "head"}};
    std::string text;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", kNames[indices_.size()][i], indices_[i]);
    }
    return text.empty() ? "the map" : text;
  }

  void read_level(std::size_t level) {
    if (level == outer_.size()) return read_map();
    std::size_t n = 0;
    json_.read_list([&](std::size_t i) {
      indices_[level] = i;
      read_level(level + 1);
      n = i + 1;
    });
    if (n == 0) json_.fail(fmt::format("an empty list at depth {}; {}", level + 1, kExpected));
    if (outer_[level] != 0 && outer_[level] != n) {
      json_.fail(fmt::format("the lists at depth {} have {} and {} items; expected as many in each ({})", level + 1, outer_[level],
                             n, place()));
    }
    outer_[level] = n;
  }

  void read_map() {
    AttentionMap map;
    read_json_matrix(&json_, place(), &map);
    const bool fits = maps_.empty() || (maps_[0].n_query == map.n_query && maps_[0].n_key == map.n_key);
    if (!fits) {
      json_.fail(fmt::format("{}: has {} rows of {} weights; expected {} of {}, as in the first map", place(), map.n_query,
                             map.n_key, maps_[0].n_query, maps_[0].n_key));
    }
    maps_.push_back(std::move(map));
  }

  JsonScanner& json_;
  std::vector<std::size_t> outer_;    // lengths, 0: not known yet
  std::vector<std::size_t> indices_;  // of the list that is being read
  std::vector<AttentionMap> maps_;
};

// NumPy's name of the type: "int32".
std::string type_text(const NpyArray& array) {
  constexpr std::pair<char, const char*> kNames[] = {{'f', "float"}, {'i', "int"}, {'u', "uint"}, {'c', "complex"}, {'V', "void"}};
  if (array.kind == 'U' || array.kind == 'S') return "text";
  if (array.kind == 'b') return "bool";
  for (const auto& [kind, name] : kNames) {
    if (kind == array.kind) return fmt::format("{}{}", name, 8 * array.item_size);
  }
  return fmt::format("{}{}", array.kind, array.item_size);
}

}  // namespace

MapFile read_nested_lists(JsonScanner* json) {
  JsonScanner ahead = *json;
  std::size_t n_axis = 0;
  while (n_axis <= kMostAxes && ahead.take('[')) ++n_axis;
  if (n_axis < 2 || n_axis > kMostAxes) {
    json->fail(fmt::format("lists nested {} deep; {}", n_axis > kMostAxes ? "more than 5" : fmt::to_string(n_axis), kExpected));
  }
  return NestedLists(json, n_axis).read();
}

MapFile read_plain_array(const NpyArray& array, const std::string& where) {
  if (!array.is_real()) {
    fail(array.name, fmt::format("is of type {}; expected float16, float32 or float64; try .astype(\"float32\") before saving",
                                 quote_text(type_text(array))));
  }
  const std::string shape = fmt::format("[{}]", fmt::join(array.shape, ", "));
  if (array.shape.size() < 2 || array.shape.size() > kMostAxes)
    fail(array.name, fmt::format("is of shape {}; {}", shape, kExpected));
  if (array.n_item() == 0) fail(array.name, fmt::format("is of shape {}, without a number; {}", shape, kExpected));
  const std::vector<std::size_t> outer(array.shape.begin(), array.shape.end() - 2);
  const OuterAxes axes = outer_axes(outer, array.name);
  std::vector<AttentionMap> maps(axes.n_layer * axes.n_head);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i].n_query = array.shape[outer.size()];
    maps[i].n_key = array.shape.back();
    maps[i].pattern.resize(maps[i].n_query * maps[i].n_key);
    read_matrix(array, i, maps[i].pattern.data());
  }
  return file_of(std::move(maps), axes, where);
}

}  // namespace attnviz
