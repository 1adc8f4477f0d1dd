// Plain numbers as maps: nested JSON lists and NumPy arrays of shape [query][key], [head][query][key] or [layer][head][query][key],
// also with an axis of length 1 for the batch, as output_attentions=True gives it. Tested in
// tests/unit/formats/maps/map_file_test.cpp.
#pragma once

#include <string>

#include "formats/json_scanner.h"
#include "formats/maps/map_file.h"
#include "formats/maps/npy.h"

namespace attnviz {

// The cursor is at the outermost bracket; nothing may follow the lists. Throws Error(kInput).
MapFile read_nested_lists(JsonScanner* json);

// Throws Error(kInput) for other types and shapes.
MapFile read_plain_array(const NpyArray& array, const std::string& where);

}  // namespace attnviz
