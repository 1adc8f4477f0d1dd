// A matrix written as a JSON list of lists of numbers -> a map's weights. Tested in tests/unit/formats/maps/map_file_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <string>

#include "formats/json_scanner.h"

namespace attnviz {

// Sets n_query, n_key and pattern [n_query, n_key]; reuses the pattern's capacity. `place` ("layer 3, head 1") names the map in
// messages. Throws Error(kInput) for rows of different lengths, no rows, and empty rows.
void read_json_matrix(JsonScanner* json, const std::string& place, AttentionMap* map);

}  // namespace attnviz
