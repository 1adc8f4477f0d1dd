// See json_matrix.h. The number of rows is known only at the end. So after row 0, space is reserved for a square matrix, but for no
// more numbers than the rest of the text can hold at two characters each.
#include "formats/maps/json_matrix.h"

#include <algorithm>

#include <fmt/format.h>

namespace attnviz {

void read_json_matrix(JsonScanner* json, const std::string& place, AttentionMap* map) {
  map->n_query = 0;
  map->n_key = 0;
  map->pattern.clear();
  json->set_place(place);
  json->set_row(0);
  json->read_list([&](std::size_t row) {
    json->set_row(row);
    const std::size_t n_key = json->read_row(&map->pattern);
    if (row == 0) {
      map->n_key = n_key;
      map->pattern.reserve(std::max(map->pattern.size(), std::min(n_key * n_key, json->remaining() / 2)));
    }
    if (n_key == 0) json->fail("is empty; expected a weight for each key");
    if (n_key != map->n_key) json->fail(fmt::format("has {} weights; expected {}, as in row 0", n_key, map->n_key));
    ++map->n_query;
  });
  if (map->n_query == 0) json->fail("is missing; expected one for each query");
  json->set_place("");
  if (map->pattern.capacity() > map->pattern.size() + map->pattern.size() / 4) map->pattern.shrink_to_fit();
}

}  // namespace attnviz
