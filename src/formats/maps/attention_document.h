// The JSON document "attnviz.attention/1" (docs/JSON.md) -> Trace. Fields may be in any order, because other programs
// may have saved the document again. Unknown fields are skipped, with a remark. Tested in
// tests/unit/formats/maps/map_file_test.cpp.
#pragma once

#include <string_view>

#include "formats/json_scanner.h"
#include "formats/maps/map_file.h"

namespace attnviz {

// The cursor is at the object's brace. `with_maps`: the maps are in it; otherwise (in an NPZ) its list of them is empty.
// Throws Error(kInput): another object, and everything that is not of the document's shape.
MapFile read_attention_document(JsonScanner* json, bool with_maps = true);

// Puts maps in order, and throws Error(kInput): a layer and head that occurs twice or that the model does not have, or a map
// that does not fit the tokens.
void check_maps_fit(Trace* trace, const std::string& where);

}  // namespace attnviz
